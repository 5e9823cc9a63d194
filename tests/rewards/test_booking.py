"""Booking: every promotion is decided once, on the order as placed; the sum is for the lines kept."""

from datetime import timedelta
from decimal import Decimal

import pytest

from rewards.errors import Invalid
from rewards.outcomes import AlreadyPaid, Booked, HeldForPerson, NothingMatched, NothingToEarn
from rewards.promotion import ByDateTime, Days, LoyaltyPoints, Quota
from rewards.reward import RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_line, a_promotion, a_return, an_order
from tests.fakes.audited import findings_of
from tests.fakes.world import LATER, TIMETABLE, World
from tests.rewards.events import PAID, failed, paid, placed, reversed_by

ID = RewardId("1", PAID.order.id.order_group, "28343")


def test_a_paid_order_owes_what_the_promotion_gives_at_its_booking_time() -> None:
    world = World(a_promotion())
    assert world.tell(PAID) == [Booked(ID)]
    row = world.ledger.rows[ID]
    assert (row.status, row.points, row.base_amount) == (Status.WAIT, 50, Decimal(1000))
    assert row.due
    assert world.grants.waiting == [], "it is not due yet: the dispatcher sends it"


def test_the_order_says_of_every_promotion_whether_it_matched_and_why_not() -> None:
    world = World(a_promotion(), a_promotion(promotion_id="big", min_amount=Decimal(5000)))
    world.tell(PAID)
    order = world.ledger.orders[PAID.order.id]
    assert order.decisions == {"28343": "matched", "big": "the lines that count come to 1000, which is below 5000"}
    assert (order.paid_at, order.paid_by) == (PAID.occurred_at, PAID.event_id)


def test_an_order_too_small_to_earn_anything_makes_no_row() -> None:
    world = World(a_promotion())
    assert world.tell(paid(an_order([a_line(amount=10)]))) == [NothingMatched(PAID.order.id)]
    order = world.ledger.orders[PAID.order.id]
    assert order.decisions == {"28343": "the lines that count come to 10, which earns nothing"}


def test_a_guest_earns_nothing_and_is_no_error() -> None:
    world = World(a_promotion())
    assert world.tell(paid(an_order(member_id=None))) == [NothingMatched(PAID.order.id)]
    assert world.ledger.rows == {}


@pytest.mark.parametrize("promotion", [a_promotion(days=0), a_promotion(timing=ByDateTime(ORDERED_AT))])
def test_what_is_due_already_is_sent_at_once(promotion: object) -> None:
    world = World(promotion)  # type: ignore[arg-type]
    world.tell(PAID)
    (task,) = world.grants.waiting
    assert task.rewards() == [ID]


def test_a_repeated_payment_decides_nothing_and_sends_again() -> None:
    world = World(a_promotion(days=0))
    world.tell(PAID)
    world.promotions.stored["new"] = a_promotion(promotion_id="new")
    assert world.tell(PAID) == [AlreadyPaid(PAID.order.id)]
    assert list(world.ledger.rows) == [ID]
    assert len(world.grants.waiting) == 2


def test_another_payment_after_the_reward_was_taken_back_is_for_a_person() -> None:
    world = World(a_promotion())
    world.tell(PAID)
    world.run(until=world.now + LATER)
    world.tell(reversed_by("R1", a_return()))
    world.run()
    assert world.tell(PAID) == [AlreadyPaid(PAID.order.id)]
    assert world.tell(paid(PAID.order, "paid again")) == [HeldForPerson(ID)]
    row = world.ledger.rows[ID]
    assert row.status is Status.REWARD
    assert row.held
    assert row.due is None


def test_a_return_before_the_payment_leaves_only_the_rest_to_earn() -> None:
    world = World(a_promotion(LoyaltyPoints(points=7)))
    world.tell(reversed_by("R1", a_return()))
    assert world.tell(PAID) == [NothingToEarn(ID)]
    row = world.ledger.rows[ID]
    assert (row.status, row.points, row.due) == (Status.CANCEL, 0, None)
    assert "R1" in world.ledger.orders[PAID.order.id].returns


def test_a_late_payment_is_booked_into_the_slot_of_now_and_keeps_its_booking_time() -> None:
    world = World(a_promotion(), now=ORDERED_AT + timedelta(days=20))
    world.tell(PAID)
    row = world.ledger.rows[ID]
    assert row.booking_time < world.now
    assert row.due
    assert row.due.sort.startswith("2026-11-23T04:00Z#")
    assert len(world.grants.waiting) == 1, "it is late already, so it is sent at once"


def test_a_payment_in_another_currency_than_the_order_is_refused_and_computes_nothing() -> None:
    world = World(a_promotion())
    world.tell(PAID)
    before = dict(world.ledger.rows)
    with pytest.raises(Invalid, match=r"order.currency: 'USD', but the order is known in TWD"):
        world.tell(paid(an_order(currency="USD"), "again"))
    assert world.ledger.rows == before


HOLDS_A_PLACE = a_promotion(quota=Quota(total=1, occupy=True), exclude_skus=("SKU-L3",))


@pytest.mark.parametrize(
    ("was_placed", "is_paid", "lines", "points"),
    [
        (("L1", "L2"), ("L2", "L1"), None, 100),
        (("L1", "L2"), ("L1",), ("L1",), 50),
        (("L1",), ("L1", "L2"), ("L1", "L2"), 100),
        (("L1",), ("L1", "L3"), ("L1",), 50),
        (("L1", "L3"), ("L1", "L2", "L3"), ("L1", "L2"), 100),
        (("L1", "L3"), ("L2",), ("L2",), 50),
        (("L1",), ("L3",), (), 0),
    ],
)
@pytest.mark.parametrize("source", ["ECom", "Others"])
def test_of_an_order_paid_with_other_lines_than_it_was_placed_with_those_count_that_are_paid(
    was_placed: tuple, is_paid: tuple, lines: tuple | None, points: int, source: str
) -> None:
    world = World(HOLDS_A_PLACE)
    world.tell(placed(an_order([a_line(line) for line in was_placed], source=source)))
    world.tell(paid(an_order([a_line(line) for line in is_paid], source=source)))
    row = world.ledger.rows[ID]
    assert (row.lines, row.points) == (lines, points)
    assert row.status is (Status.WAIT if points else Status.CANCEL)
    assert not findings_of(world)


def test_lines_that_were_paid_and_not_placed_do_not_count_by_a_promotion_that_is_gone() -> None:
    world = World(HOLDS_A_PLACE)
    world.tell(placed(an_order(1)))
    world.promotions.stored.clear()
    world.tell(paid(an_order(2)))
    assert (world.ledger.rows[ID].lines, world.ledger.rows[ID].points) == (("L1",), 50)


def test_what_was_let_go_is_looked_for_again_with_the_lines_that_are_paid() -> None:
    world = World(HOLDS_A_PLACE)
    world.tell(placed(an_order(1)))
    world.tell(failed(an_order(1)))
    world.tell(paid(an_order([a_line("L3")])))
    assert (world.ledger.rows[ID].lines, world.ledger.rows[ID].status) == ((), Status.CANCEL)
    assert not findings_of(world)


def test_at_most_thirty_promotions_match_one_order() -> None:
    world = World(*(a_promotion(promotion_id=f"{number:02}") for number in range(33)))
    assert len(world.tell(PAID)) == 30
    assert world.ledger.orders[PAID.order.id].decisions["30"] == "30 promotions match already"


WAITS_FOR_THE_PARCEL = a_promotion(timing=Days(7, "shipped"))


def test_a_reward_that_counts_from_shipping_is_due_at_no_time_before_the_parcel_leaves() -> None:
    world = World(WAITS_FOR_THE_PARCEL)
    assert world.tell(PAID) == [Booked(ID)]
    row = world.ledger.rows[ID]
    assert (row.status, row.points, row.booking_time, row.due) == (Status.WAIT, 50, None, None)
    world.run(until=world.now + LATER)
    assert world.ledger.rows[ID] == row, "nothing is left to anyone but the parcel"


def test_what_waits_for_the_parcel_is_cancelled_by_a_return_like_any_other() -> None:
    world = World(WAITS_FOR_THE_PARCEL)
    world.tell(PAID)
    world.tell(reversed_by("R1", a_return()))
    assert world.ledger.rows[ID].status is Status.CANCEL


def test_until_the_parcel_leaves_the_promotion_may_count_from_the_order() -> None:
    world = World(a_promotion(timing=Days(7, "shipped", before_shipping="ordered")))
    world.tell(PAID)
    row = world.ledger.rows[ID]
    assert row.booking_time == TIMETABLE.booking_time(Days(7, "ordered"), PAID.order, "28343")
    assert row.due


def test_promotions_of_another_time_are_not_mentioned_on_the_order_however_many_there_are() -> None:
    ended = [a_promotion(promotion_id=f"old-{number}", ends_at=ORDERED_AT) for number in range(50)]
    world = World(a_promotion(), *ended)
    world.tell(PAID)
    assert world.ledger.orders[PAID.order.id].decisions == {"28343": "matched"}
