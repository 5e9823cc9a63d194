"""Rebooking: what counts from shipping is booked by the latest shipping, however its events come."""

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from rewards.outcomes import Granted, Rebooked, ShippingKept, TooEarly, Unchanged, Unsettled
from rewards.promotion import Days
from rewards.reward import Held, RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_promotion, a_return
from tests.fakes.world import LATER, TIMETABLE, World
from tests.rewards.events import PAID, reversed_by, shipped

ID = RewardId("1", PAID.order.id.order_group, "28343")
WAITS = a_promotion(timing=Days(7, "shipped"))
PROVISIONAL = a_promotion(timing=Days(7, "shipped", before_shipping="ordered"))
LEFT = ORDERED_AT + timedelta(days=2)
LEFT_LATER = ORDERED_AT + timedelta(days=5)


def seven_days_after(at: datetime) -> datetime | None:
    return TIMETABLE.booking_time(Days(7, "shipped"), replace(PAID.order, shipped_at=at), ID.promotion_id)


@pytest.fixture
def waiting() -> World:
    """An order of 1,000 was paid, which earns 50 points seven days after it is shipped."""
    world = World(WAITS)
    world.tell(PAID)
    return world


@pytest.mark.parametrize("promotion", [WAITS, PROVISIONAL])
def test_when_the_parcel_leaves_the_reward_is_booked_by_that(promotion: object) -> None:
    world = World(promotion)  # type: ignore[arg-type]
    world.tell(PAID)
    before = world.ledger.rows[ID]
    assert world.tell(shipped(LEFT)) == [Rebooked(ID)]
    row = world.ledger.rows[ID]
    assert row.booking_time == seven_days_after(LEFT)
    assert (row.update_reason, row.changed_by, row.version) == ("shipped", "rebook", 2)
    assert row.due
    assert row.due != before.due
    assert world.ledger.orders[ID.order].shipped_at == LEFT
    assert world.grants.waiting == [], "it is not due yet: the dispatcher sends it"


def test_an_order_shipped_before_it_was_paid_is_booked_by_its_shipping() -> None:
    world = World(WAITS)
    assert world.tell(shipped(LEFT)) == [ShippingKept(ID.order)]
    tombstone = world.ledger.orders[ID.order]
    assert (tombstone.lines, tombstone.shipped_at, tombstone.is_paid) == ((), LEFT, False)
    world.tell(PAID)
    assert world.ledger.orders[ID.order].shipped_at == LEFT
    assert world.ledger.rows[ID].booking_time == seven_days_after(LEFT)


def test_the_latest_shipping_counts_whichever_is_told_last(waiting: World) -> None:
    waiting.tell(shipped(LEFT_LATER))
    assert waiting.tell(shipped(LEFT)) == [Unchanged(ID)]
    assert waiting.ledger.orders[ID.order].shipped_at == LEFT_LATER
    assert waiting.ledger.rows[ID].booking_time == seven_days_after(LEFT_LATER)


def test_another_part_of_the_order_that_leaves_later_moves_it_again(waiting: World) -> None:
    waiting.tell(shipped(LEFT))
    assert waiting.tell(shipped(LEFT_LATER)) == [Rebooked(ID)]
    assert waiting.ledger.rows[ID].booking_time == seven_days_after(LEFT_LATER)


def test_the_same_shipping_again_changes_nothing(waiting: World) -> None:
    waiting.tell(shipped(LEFT))
    before = dict(waiting.ledger.orders), dict(waiting.ledger.rows)
    assert waiting.tell(shipped(LEFT)) == [Unchanged(ID)]
    assert (waiting.ledger.orders, waiting.ledger.rows) == before


def test_a_repeat_goes_on_to_the_rewards_since_the_first_delivery_may_have_died_before_them(waiting: World) -> None:
    booked = waiting.ledger.rows[ID]
    waiting.tell(shipped(LEFT))
    waiting.ledger.rows[ID] = booked
    assert waiting.tell(shipped(LEFT)) == [Rebooked(ID)]
    assert waiting.ledger.rows[ID].booking_time == seven_days_after(LEFT)


@pytest.mark.parametrize("read", ["order", "reward"])
def test_a_later_shipping_told_while_an_earlier_one_is_worked_on_is_not_overwritten(waiting: World, read: str) -> None:
    ledger = waiting.ledger
    before = getattr(ledger, read)

    def read_before_the_later_one(id: object) -> object:
        setattr(ledger, read, before)
        found = before(id)
        waiting.tell(shipped(LEFT_LATER))
        return found

    setattr(ledger, read, read_before_the_later_one)
    waiting.tell(shipped(LEFT))
    assert ledger.orders[ID.order].shipped_at == LEFT_LATER
    assert ledger.rows[ID].booking_time == seven_days_after(LEFT_LATER)


def test_a_task_of_the_old_time_is_too_early_for_the_new_one() -> None:
    world = World(PROVISIONAL)
    world.tell(PAID)
    old = world.ledger.rows[ID].booking_time
    assert old
    world.tell(shipped(LEFT))
    world.now = old
    assert world.grant(ID) == TooEarly(ID)
    world.run(until=seven_days_after(LEFT))
    assert world.ledger.rows[ID].status is Status.REWARD


def test_what_is_due_by_its_shipping_already_is_sent_at_once() -> None:
    world = World(a_promotion(timing=Days(0, "shipped")))
    world.tell(PAID)
    world.now = LEFT
    world.tell(shipped(LEFT))
    assert [task.rewards() for task in world.grants.waiting] == [[ID]]


def test_a_shipping_told_late_books_into_the_slot_of_now(waiting: World) -> None:
    waiting.now += LATER
    waiting.tell(shipped(LEFT))
    row = waiting.ledger.rows[ID]
    assert row.booking_time == seven_days_after(LEFT)
    assert row.due
    assert row.due.sort.startswith("2026-12-03T04:00Z#")
    assert len(waiting.grants.waiting) == 1, "it is late already, so it is sent at once"


@pytest.mark.parametrize("basis", ["ordered", "paid"])
def test_a_reward_that_counts_from_something_else_is_left_alone(basis: object) -> None:
    world = World(a_promotion(timing=Days(7, basis)))  # type: ignore[arg-type]
    world.tell(PAID)
    before = dict(world.ledger.rows)
    assert world.tell(shipped(LEFT)) == [ShippingKept(ID.order)]
    assert world.ledger.rows == before


def test_a_reward_granted_or_cancelled_is_left_alone() -> None:
    world = World(PROVISIONAL, a_promotion(timing=PROVISIONAL.timing, promotion_id="other"))
    world.tell(PAID)
    world.ledger.rows[ID] = replace(world.ledger.rows[ID], status=Status.CANCEL, due=None)
    world.run(until=world.now + LATER)
    before = dict(world.ledger.rows)
    assert sorted(row.status for row in before.values()) == [Status.CANCEL, Status.REWARD]
    world.tell(shipped(LEFT))
    assert world.ledger.rows == before


def test_a_claimed_reward_is_left_to_its_worker() -> None:
    """Its time had come by all that was known, and the provider may have given already."""
    world = World(PROVISIONAL)
    world.tell(PAID)
    world.now += LATER
    world.points.lose_replies = 1
    assert isinstance(world.grant(ID), Unsettled)
    before = dict(world.ledger.rows)
    assert world.tell(shipped(world.now)) == [Unchanged(ID)]
    assert world.ledger.rows == before
    assert world.grant(ID) == Granted(ID, 50)


def test_a_reward_held_for_a_person_is_left_alone(waiting: World) -> None:
    held = replace(waiting.ledger.rows[ID], held=Held("refused", "no such account"))
    waiting.ledger.rows[ID] = held
    assert waiting.tell(shipped(LEFT)) == [Unchanged(ID)]
    assert waiting.ledger.rows[ID] == held


def test_a_reward_out_of_stock_waits_for_both_parcel_and_stock(waiting: World) -> None:
    waiting.tell(shipped(LEFT))
    retry = TIMETABLE.next_stock_time(ORDERED_AT + timedelta(days=9, hours=1))
    without_stock = replace(waiting.ledger.rows[ID], booking_time=retry, stock_outs=1)
    waiting.ledger.rows[ID] = without_stock
    assert waiting.tell(shipped(LEFT)) == [Unchanged(ID)], "a repeat must not bring it back to a time that is over"
    assert waiting.ledger.rows[ID] == without_stock
    assert waiting.tell(shipped(LEFT_LATER)) == [Rebooked(ID)]
    assert waiting.ledger.rows[ID].booking_time == seven_days_after(LEFT_LATER)


def test_a_return_it_still_has_to_deal_with_stays_flagged(waiting: World) -> None:
    waiting.tell(reversed_by("R1", a_return()))
    flagged = replace(waiting.ledger.rows[ID], status=Status.WAIT, return_pending=True)
    waiting.ledger.rows[ID] = flagged
    waiting.tell(shipped(LEFT))
    assert waiting.ledger.rows[ID].return_pending
