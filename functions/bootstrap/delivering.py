"""What becomes of a message that fails: it rests, or it is parked as a letter."""

from functools import cache

from adapters.letters import SqsLetters
from adapters.visibility import SqsVisibility
from bootstrap.clients import sqs
from bootstrap.settings import setting


@cache
def visibility() -> SqsVisibility:
    return SqsVisibility(sqs())


@cache
def letters() -> SqsLetters:
    return SqsLetters(sqs(), setting("LETTERS_QUEUE"))
