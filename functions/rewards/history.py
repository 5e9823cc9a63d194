"""The history of a reward: one item for every change, each naming the one before it, so that a gap would show.

It is written from the ledger's stream and never by the one who makes the change: so it is never there without the
change, nor missing after it. Written again, the same version is the same item. Claims are no changes.
"""

from datetime import datetime
from typing import NamedTuple

from msgspec import Struct, field

from rewards.reward import Reward, RewardId
from rewards.status import Status


class Change(NamedTuple):
    """A reward as it was, None if it is new, and as it became."""

    before: Reward | None
    after: Reward


class HistoryItem(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="pascal"):
    """What a change did. `previous` is the version of the item before it, none for the first.

    The amounts are what the reward shows after the change, in points.
    """

    id: RewardId
    version: int
    previous: int | None = None
    before: Status | None = field(default=None, name="From")
    after: Status = field(name="To")
    reason: str
    actor: str
    at: datetime
    points: int = 0
    recycle_points: int = 0
    shortfall: int = 0
    held: str | None = None
    v: int = field(default=1, name="v")

    @classmethod
    def of(cls, change: Change) -> "HistoryItem":
        before, after = change
        return cls(
            id=after.id,
            version=after.changed_version,
            previous=before.changed_version if before else None,
            before=before.status if before else None,
            after=after.status,
            reason=after.update_reason,
            actor=after.changed_by,
            at=after.changed_at,
            points=after.points,
            recycle_points=after.recycle_points,
            shortfall=after.shortfall,
            held=after.held.reason if after.held else None,
        )


def change_between(before: Reward | None, after: Reward | None) -> Change | None:
    """The change from one image of a row to the next; None for a claim, and for a row that is gone."""
    if after is None or (before and before.changed_version == after.changed_version):
        return None
    return Change(before, after)
