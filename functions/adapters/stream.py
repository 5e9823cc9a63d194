"""Records of the ledger's stream."""

from collections.abc import Mapping
from typing import Any

from adapters.items import reward_of
from rewards.history import Change, change_between


def change_in(record: Mapping[str, Any]) -> Change | None:
    """The change of a reward that a record tells of; None where there is none, as for orders and history."""
    images = record["dynamodb"]
    if not images["Keys"]["Item"]["S"].startswith("REWARD#"):
        return None
    before, after = images.get("OldImage"), images.get("NewImage")
    return change_between(before and reward_of(before), after and reward_of(after))
