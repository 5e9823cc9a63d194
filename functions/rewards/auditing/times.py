"""The booking time of a reward, against its order: the four rules.

a date                          equals the given instant
days, and the parcel has left   the date agrees
days otherwise                  recomputed with the same allocator, to within the hours it spreads over
out of stock                    one of the hours at which stock is asked for
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from msgspec.structs import replace

from rewards.auditing.finding import Finding, found
from rewards.due import parse
from rewards.order import Order
from rewards.promotion import ByDateTime, Days
from rewards.reward import Reward
from rewards.status import Status
from rewards.timetable import Timetable
from rewards.windows import begun

LEAST_TOLERANCE = timedelta(hours=3)

PERIOD_MOST = timedelta(hours=1)
"""A slot begins so much before the times that fall into it, at most."""

RECYCLED_WITHIN = timedelta(days=2)
"""The next hour at which offline orders are recycled is always nearer."""


def audit_time(row: Reward, order: Order, timetable: Timetable, *, is_still: bool) -> Iterator[Finding]:
    """What is wrong with the booking time of what waits or was granted.

    The latest shipping counts. But a row that may have been moved since (not `is_still`) follows in a moment, and one
    that was granted, or tried when its time had come, never does: there an earlier shipping, or none, may have given
    the time.
    """
    if row.status not in (Status.WAIT, Status.REWARD):
        return
    if not order.is_paid:
        yield found("booking time", row, f"it is {row.status}, and its order is not paid")
        return
    at, timing = row.booking_time, row.rule.timing
    if row.stock_outs and at and _is_stock_time(at, timetable):
        return
    if isinstance(timing, ByDateTime):
        if at != timing.at:
            yield found("booking time", row, f"{_told(at)} instead of the given {_told(timing.at)}")
        return
    is_tried = row.attempts or row.lock or row.held
    follows_latest = is_still and row.status is Status.WAIT and not is_tried
    if timing.basis == "shipped" and order.shipped_at:
        yield from _by_shipping(row, timing, order, timetable, follows_latest=follows_latest)
    else:
        yield from _recomputed(row, order, timetable)


def audit_slot(row: Reward) -> Iterator[Finding]:
    """What is wrong with the slot a row stands in: that of its time or, where it came late, of a moment until now.

    Keys are compared to the letter when they are written; those that were written before may be of another period.
    """
    if row.due is None:
        return
    stands_at = begun(parse(row.due.sort).slot)
    at = {Status.OCCUPY: row.unpaid_until, Status.WAIT: row.booking_time}.get(row.status)
    earliest = at - PERIOD_MOST if at else stands_at
    latest = max(at, row.changed_at) if at else row.changed_at + RECYCLED_WITHIN
    if not earliest <= stands_at <= latest or row.due.partition.split("#")[1] != stands_at.date().isoformat():
        yield found("due keys", row, f"it stands at {' '.join(row.due)}, and its time is {_told(at or row.changed_at)}")


def _by_shipping(
    row: Reward, timing: Days, order: Order, timetable: Timetable, *, follows_latest: bool
) -> Iterator[Finding]:
    at, right = row.booking_time, timetable.booking_time(timing, order, row.id.promotion_id)
    day, right_day = _day(at, timetable), _day(right, timetable)
    if day == right_day:
        return
    if not follows_latest and (day is None or (right_day is not None and day < right_day)):
        return  # by an earlier shipping, or before there was any
    if not follows_latest and not list(_recomputed(row, replace(order, shipped_at=None), timetable)):
        return
    yield found("booking time", row, f"{_told(at)}, but shipped {_told(order.shipped_at)} it is {_told(right)}")


def _recomputed(row: Reward, order: Order, timetable: Timetable) -> Iterator[Finding]:
    at, right = row.booking_time, timetable.booking_time(row.rule.timing, order, row.id.promotion_id)
    tolerance = max(timedelta(hours=timetable.buckets.count), LEAST_TOLERANCE)
    if at == right or (at and right and abs(at - right) <= tolerance):
        return
    yield found("booking time", row, f"{_told(at)} instead of {_told(right)}")


def _is_stock_time(at: datetime, timetable: Timetable) -> bool:
    return timetable.next_stock_time(at - timedelta(microseconds=1)) == at


def _day(at: datetime | None, timetable: Timetable) -> date | None:
    return at.astimezone(timetable.zone).date() if at else None


def _told(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat() if at else "none"
