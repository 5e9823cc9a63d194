"""Where dead letters are kept for good, and where a stream's reader sets aside what it gave up."""

import json
from collections.abc import Mapping
from functools import cache

from adapters.letters import KeptLetters
from adapters.set_aside import SetAside
from bootstrap.clients import dynamodb, s3
from bootstrap.settings import setting


@cache
def kept_letters() -> KeptLetters:
    return KeptLetters(s3(), setting("LETTERS_BUCKET"), dynamodb(), setting("LETTERS_TABLE"))


@cache
def set_aside() -> SetAside:
    return SetAside(s3(), setting("LETTERS_BUCKET"))


def step_behind(name: str) -> str:
    """The step that the queue or the function of this name in AWS is of; a name that is no such thing's is kept."""
    return _steps().get(name, name)


@cache
def _steps() -> Mapping[str, str]:
    steps: dict[str, str] = json.loads(setting("STEPS_BY_NAME"))
    return steps
