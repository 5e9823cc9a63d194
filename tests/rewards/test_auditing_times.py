"""The four rules of booking times: what they bear, and what they find."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from rewards.auditing.times import audit_time
from rewards.order import Order
from rewards.promotion import ByDateTime, Days, Timing
from rewards.provider import NotNow
from rewards.reward import Reward
from tests.builders import ORDERED_AT, a_paid_order, a_promotion, a_reward, an_order
from tests.fakes.audited import findings_of
from tests.fakes.world import TIMETABLE, World
from tests.rewards.events import paid, shipped

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BOOKED = datetime(2026, 11, 9, 18, tzinfo=UTC)  # two in the morning of the tenth in Taipei
GIVEN = datetime(2026, 12, 1, 1, 30, tzinfo=UTC)
SHIPPED = ORDERED_AT + 2 * DAY
TEN = datetime(2026, 11, 12, 2, tzinfo=UTC)  # ten in Taipei


def booked(at: datetime | None, timing: Timing | None = None, status: str = "WaitToReward", **fields: Any) -> Reward:
    rule = a_promotion(timing=timing or Days(7)).rule
    return a_reward(status, booking_time=at, rule=rule, due=None, **fields)


def is_found(row: Reward, order: Order | None = None, *, is_still: bool = True) -> bool:
    return bool(list(audit_time(row, order or a_paid_order(), TIMETABLE, is_still=is_still)))


def test_an_unshipped_one_is_recomputed_within_the_hours_it_is_spread_over() -> None:
    assert not is_found(booked(BOOKED))
    assert not is_found(booked(BOOKED + 3 * HOUR))
    assert is_found(booked(BOOKED + 3 * HOUR + timedelta(minutes=1)))
    assert is_found(booked(BOOKED - DAY))
    assert is_found(booked(None))


def test_with_more_buckets_more_is_borne() -> None:
    wide = TIMETABLE._replace(buckets=replace(TIMETABLE.buckets, count=24))
    assert not list(audit_time(booked(BOOKED + 10 * HOUR), a_paid_order(), wide, is_still=True))


def test_a_given_date_is_met_to_the_instant() -> None:
    assert not is_found(booked(GIVEN, ByDateTime(GIVEN)))
    assert is_found(booked(GIVEN + timedelta(seconds=1), ByDateTime(GIVEN)))


def test_of_a_shipped_one_the_date_agrees() -> None:
    order = a_paid_order(shipped_at=SHIPPED)
    assert not is_found(booked(BOOKED + 2 * DAY + 5 * HOUR, Days(7, "shipped")), order)
    assert is_found(booked(BOOKED + DAY, Days(7, "shipped")), order)
    assert is_found(booked(None, Days(7, "shipped")), order)


@pytest.mark.parametrize("at", [None, BOOKED + DAY])
def test_one_that_is_being_moved_may_have_the_time_of_an_earlier_shipping(at: datetime | None) -> None:
    row, order = booked(at, Days(7, "shipped")), a_paid_order(shipped_at=SHIPPED)
    assert is_found(row, order)
    assert not is_found(row, order, is_still=False)


def test_but_never_that_of_a_later_one() -> None:
    assert is_found(booked(BOOKED + 4 * DAY, Days(7, "shipped")), a_paid_order(shipped_at=SHIPPED), is_still=False)


def test_what_waits_for_the_parcel_has_no_time() -> None:
    assert not is_found(booked(None, Days(7, "shipped")))
    assert is_found(booked(BOOKED, Days(7, "shipped")))


def test_out_of_stock_it_is_a_restocking_hour() -> None:
    assert not is_found(booked(TEN, stock_outs=1))
    assert not is_found(booked(TEN + 12 * HOUR, stock_outs=1))
    assert is_found(booked(TEN + HOUR, stock_outs=1))
    assert is_found(booked(TEN))


def test_nothing_is_booked_of_an_order_that_is_not_paid() -> None:
    assert is_found(booked(BOOKED), a_paid_order(paid_by=None))


def test_what_was_cancelled_keeps_whatever_time_it_had() -> None:
    assert not is_found(booked(TEN, status="Cancel"))


def test_a_parcel_that_leaves_while_a_provider_gives_no_answer_moves_nothing() -> None:
    """Its time had come by all that was known, and a worker had it: no rebooking could move it."""
    order = an_order()
    world = World(a_promotion(timing=Days(1, "shipped", before_shipping="ordered")))
    world.tell(paid(order))
    ((id, row),) = world.ledger.rows.items()
    assert row.booking_time
    world.now = row.booking_time + 5 * timedelta(minutes=1)
    world.points.instead.append(NotNow("busy"))
    world.points.meanwhile = lambda: world.tell(shipped(world.now, order))
    world.grant(id)
    assert world.ledger.rows[id].attempts == 1
    assert findings_of(world) == []
