"""Waiting: what has to come before a reward changes again by itself."""

from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct

from rewards.due import parse
from rewards.reward import Reward
from rewards.status import Status
from rewards.timetable import Timetable


class Waiting(Struct, frozen=True):
    """What a reward waits for, until when if that is known, and why if there is something to say.

    A `window` is released `until` then at the latest; what is due at once does not wait for its end. After that the row
    waits for a `worker`, who may have tried in vain so far; a `lease` is one at work.
    """

    what: Literal["payment", "shipping", "stock", "window", "worker", "lease", "person"]
    until: datetime | None = None
    why: str | None = None


def waits_for(row: Reward, *, timetable: Timetable, now: datetime) -> Waiting | None:
    """None if nothing is owed on the row."""
    if row.held:
        return Waiting("person", why=row.held.reason)
    if row.lock and row.lock.until > now:
        return Waiting("lease", row.lock.until)
    if row.status is Status.OCCUPY:
        return Waiting("payment", row.unpaid_until)
    if row.due is None:
        return Waiting("shipping") if row.status is Status.WAIT else None
    if row.stock_outs and row.booking_time and row.booking_time > now:
        return Waiting("stock", row.booking_time, f"{row.stock_outs} × out of stock")
    release = datetime.fromisoformat(parse(row.due.sort).slot).astimezone(UTC)
    if row.status is Status.WAIT:
        release += timetable.period
    if release > now:
        return Waiting("window", release)
    return Waiting("worker", why=f"{row.attempts} × no answer from the provider" if row.attempts else None)
