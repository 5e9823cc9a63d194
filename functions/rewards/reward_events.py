"""Reward events: what others may follow on the rewards bus (contract §5).

They come at least once and in no certain order. Each shows the reward as it stood at `version`, its amounts in sum:
who follows keeps what has the highest version and needs no event before it.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from rewards.history import Change
from rewards.status import Status

BY_STATUS = {
    Status.OCCUPY: "RewardOccupied",
    Status.WAIT: "RewardBooked",
    Status.REWARD: "RewardGranted",
    Status.CANCEL: "RewardCancelled",
}
EVENT_NAMES = (*BY_STATUS.values(), "RewardRebooked", "RewardRecycled", "RewardShortfall", "RewardHeld")
"""All there are; configuration says which are published."""


class Detail(Struct, frozen=True, kw_only=True):
    """The reward after the change; points taken back and not to be had are sums since it was granted."""

    shop_id: str
    order_group: str
    promotion_id: str
    member_id: str
    version: int
    status: Status
    points: int
    recycle_points: int
    shortfall: int
    reason: str
    v: int = 1


class RewardEvent(NamedTuple):
    """An event by its detail-type, and when the reward changed."""

    name: str
    at: datetime
    detail: Detail


def reward_events(change: Change, published: Collection[str]) -> list[RewardEvent]:
    """What a change is told as; several events where several things happened at once, or none."""
    after = change.after
    detail = Detail(
        shop_id=after.id.shop_id,
        order_group=after.id.order_group,
        promotion_id=after.id.promotion_id,
        member_id=after.member_id,
        version=after.changed_version,
        status=after.status,
        points=after.points,
        recycle_points=after.recycle_points,
        shortfall=after.shortfall,
        reason=after.update_reason,
    )
    return [RewardEvent(name, after.changed_at, detail) for name in _names(change) if name in published]


def _names(change: Change) -> Iterator[str]:
    before, after = change
    if (before is None or before.status is not after.status) and after.status in BY_STATUS:
        yield BY_STATUS[after.status]
    if before is None:
        return
    if before.status is after.status is Status.WAIT and before.booking_time != after.booking_time:
        yield "RewardRebooked"
    if before.recycle_points < after.recycle_points:
        yield "RewardRecycled"
    if before.shortfall < after.shortfall:
        yield "RewardShortfall"
    if after.held and before.held != after.held:
        yield "RewardHeld"
