"""Where things are on the operator's machine."""

import os
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def data_folder() -> Path:
    """What the embedded cloud keeps; REWARDS_DATA names another, for a second cloud beside the first."""
    return Path(os.environ.get("REWARDS_DATA") or PROJECT / ".rewards").resolve()
