"""Explaining: why a reward is what it is, by the very functions that made it so, for people who are asked about it."""

from datetime import datetime
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from rewards.booking_time import basis_of, number_of, seed_of, time_of
from rewards.entitlement import Step, decimal_of, reckoned
from rewards.order import Order
from rewards.promotion import Basis, ByDateTime, Days, LoyaltyPoints, RewardType, Rounding, Timing
from rewards.reward import Reward
from rewards.status import Status
from rewards.timetable import Timetable
from rewards.waiting import Waiting, waits_for


class CountedLine(Struct, frozen=True):
    """A line that counts: what was paid for it, and what is kept of that now that some pieces came back."""

    line: str
    quantity: int
    amount: Decimal
    returned: int
    kept: Decimal


class Amount(Struct, frozen=True):
    """What the kept lines earn by the stored rule, from the sum to the last cut.

    `applied` is the tier, or else the reward as a whole, that `exact` comes from; none, if the sum earns nothing.
    """

    lines: tuple[CountedLine, ...]
    not_counted: tuple[str, ...]
    base_amount: Decimal
    min_amount: Decimal
    applied: Step | None
    exact: Decimal
    rounding: Rounding | None
    whole: int
    max_points: int | None
    points: int


class Draw(Struct, frozen=True):
    """The bucket out of so many, from 0, that the number of a seed falls into."""

    seed: str
    number: int
    buckets: int
    bucket: int


class Booking(Struct, frozen=True):
    """The booking time the row has, and how it came about.

    By `stock` it is a time to ask for coupons again, by `days` so many after `since`. What is booked `otherwise` has
    the time that was right once: by an earlier shipping, before there was one, or under other settings.
    """

    at: datetime | None
    by: Literal["date", "days", "stock", "otherwise"]
    basis: Basis | None = None
    since: datetime | None = None
    days: int | None = None
    draw: Draw | None = None


class Explanation(Struct, frozen=True):
    """One promotion's: whether the order matched it, and where there is a row, how that came about and stands."""

    promotion_id: str
    decision: str
    status: Status = Status.UNMATCH
    reason: str | None = None
    reward_type: RewardType | None = None
    points: int = 0
    recycle_points: int = 0
    shortfall: int = 0
    amount: Amount | None = None
    booking: Booking | None = None
    waits_for: Waiting | None = None


def explain(order: Order, rewards: list[Reward], *, timetable: Timetable, now: datetime) -> list[Explanation]:
    """Every promotion that was considered for the order, by its id."""
    rows = {row.id.promotion_id: row for row in rewards}
    return [
        _of_row(decision, rows[id], order, timetable, now) if id in rows else Explanation(id, decision)
        for id, decision in sorted(order.decisions.items())
    ]


def _of_row(decision: str, row: Reward, order: Order, timetable: Timetable, now: datetime) -> Explanation:
    return Explanation(
        promotion_id=row.id.promotion_id,
        decision=decision,
        status=row.status,
        reason=row.update_reason,
        reward_type=row.reward_type,
        points=row.points,
        recycle_points=row.recycle_points,
        shortfall=row.shortfall,
        amount=_amount(row, order),
        booking=_booking(row, order, timetable) if row.status in (Status.WAIT, Status.REWARD) else None,
        waits_for=waits_for(row, timetable=timetable, now=now),
    )


def _amount(row: Reward, order: Order) -> Amount:
    reckoning = reckoned(row.rule, order, row.lines)
    counted = tuple(
        CountedLine(line.line, line.quantity, line.amount, returned, decimal_of(kept))
        for line, returned, kept in reckoning.lines
    )
    points = row.rule.reward if isinstance(row.rule.reward, LoyaltyPoints) else None
    return Amount(
        lines=counted,
        not_counted=tuple(line.line for line in order.lines if row.lines is not None and line.line not in row.lines),
        base_amount=decimal_of(reckoning.base),
        min_amount=row.rule.min_amount,
        applied=reckoning.step,
        exact=decimal_of(reckoning.exact),
        rounding=points.rounding if points else None,
        whole=reckoning.whole,
        max_points=points.max_points if points else None,
        points=reckoning.points,
    )


def _booking(row: Reward, order: Order, timetable: Timetable) -> Booking:
    timing, at = row.rule.timing, row.booking_time
    if at == timetable.booking_time(timing, order, row.id.promotion_id):
        return _as_booked(timing, order, row, timetable)
    return Booking(at, "stock" if row.stock_outs else "otherwise")


def _as_booked(timing: Timing, order: Order, row: Reward, timetable: Timetable) -> Booking:
    if isinstance(timing, ByDateTime):
        return Booking(row.booking_time, "date")
    basis = basis_of(timing, order)
    if basis is None:
        return Booking(None, "days", timing.basis, days=timing.days)
    return Booking(
        row.booking_time,
        "days",
        basis,
        time_of(order, basis),
        timing.days,
        _draw(timing, order, row, timetable),
    )


def _draw(timing: Days, order: Order, row: Reward, timetable: Timetable) -> Draw | None:
    """Only rewards some days away are spread over buckets."""
    if timing.days == 0:
        return None
    seed = seed_of(row.id.promotion_id, order)
    return Draw(seed, number_of(seed), timetable.buckets.count, timetable.buckets.bucket(seed))
