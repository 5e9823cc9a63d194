"""Records of the ledger's stream."""

from collections.abc import Mapping
from typing import Any

from adapters.items import reward_of
from rewards.auditing.writes import Write
from rewards.history import Change, change_between


def write_in(record: Mapping[str, Any]) -> Write | None:
    """The write of a reward that a record tells of; None where it is of something else, as of orders and history."""
    images = record["dynamodb"]
    if not images["Keys"]["Item"]["S"].startswith("REWARD#"):
        return None
    before, after = images.get("OldImage"), images.get("NewImage")
    return Write(before and reward_of(before), after and reward_of(after))


def change_in(record: Mapping[str, Any]) -> Change | None:
    """The change of a reward that a record tells of; None where there is none."""
    write = write_in(record)
    return write and change_between(*write)
