"""Records of the ledger's stream."""

from collections.abc import Mapping
from typing import Any

from adapters.items import UNREADABLE, Item, attribute, reward_of
from rewards.auditing.writes import Write
from rewards.history import Change, change_between
from rewards.reward import Reward


def write_in(record: Mapping[str, Any]) -> Write | None:
    """The write of a reward that a record tells of; None where it is of something else, as of orders and history.

    Where a hand mends or deletes a row that no one could read, there is none either: that it became so was a write
    of its own, and nothing else could be told of this one.
    """
    images = record["dynamodb"]
    if not images["Keys"]["Item"]["S"].startswith("REWARD#"):
        return None
    before, after = images.get("OldImage"), images.get("NewImage")
    row = after and reward_of(after)
    try:
        return Write(before and reward_of(before), row)
    except UNREADABLE:
        if _is_no_change(before, row):
            return None
        raise


def _is_no_change(before: Item, after: Reward | None) -> bool:
    """Whether the row is gone, or as old as the one that cannot be read; all that a step writes makes it newer."""
    return after is None or before.get("ChangedVersion") == attribute(after.changed_version)


def change_in(record: Mapping[str, Any]) -> Change | None:
    """The change of a reward that a record tells of; None where there is none."""
    write = write_in(record)
    return write and change_between(*write)
