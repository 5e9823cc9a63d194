"""How this stack turns times into due keys: its zone, its buckets, its dispatch period and its shards."""

from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from rewards.booking_time import Buckets, booking_time, next_hour
from rewards.due import due_keys
from rewards.order import Order
from rewards.promotion import Timing
from rewards.reward import Due, Reward
from rewards.windows import Kind, slot


class Timetable(NamedTuple):
    """One configuration of time, the same in every step. `shards` may be raised, never lowered: it would hide rows."""

    zone: ZoneInfo
    buckets: Buckets
    period: timedelta
    shards: int
    retry_hours: tuple[int, ...]

    def booking_time(self, timing: Timing, order: Order, promotion_id: str) -> datetime | None:
        """When the reward falls due; None while it waits for the parcel to leave."""
        return booking_time(timing, order, promotion_id, zone=self.zone, buckets=self.buckets)

    def due(self, kind: Kind, row: Reward, *, now: datetime) -> Due:
        """Where the row stands while it waits: for its booking time, its payment or, to be recycled, for nothing."""
        at = {"reward": row.booking_time, "expire": row.unpaid_until}.get(kind) or now
        return due_keys(
            kind, at, now, row.id, row.member_id, row.ordered_at, shards=self.shards, period=self.period
        )  # fmt: skip

    def next_stock_time(self, now: datetime) -> datetime:
        """When to ask again for what is out of stock: the next of the `retry_hours` in the zone, strictly later."""
        return next_hour(now, self.retry_hours, self.zone)

    def slot(self, kind: Kind, at: datetime) -> str:
        return slot(kind, at, self.period)
