"""Out of stock is an outcome: coupons are asked for again at the next restocking hour, until that was too long."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from adapters.items import reward_item
from rewards.due import parse
from rewards.order import ReturnedLine
from rewards.outcomes import Cancelled, GivenUp, Granted, Lowered, NoStock, NotOwed, TooEarly, WaitsForWorker
from rewards.promotion import ECoupon, Tier
from rewards.reward import Reward, RewardId
from rewards.status import Status
from tests.builders import a_promotion, a_return, an_order
from tests.fakes.world import STOCK_PATIENCE, World
from tests.rewards.events import paid, reversed_by

TAIPEI = ZoneInfo("Asia/Taipei")
ORDER = an_order(lines=2)
ID = RewardId(*ORDER.id, "28343")
TEA = ECoupon("TEA", tiers=(Tier(Decimal(1), quantity=1), Tier(Decimal(2000), quantity=2)))
ONE_BACK = reversed_by("R1", a_return([ReturnedLine("L1", 1)]), ORDER)
ALL_BACK = reversed_by("R2", a_return(), ORDER)


def taipei(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, second, tzinfo=TAIPEI)


@pytest.fixture
def world() -> World:
    """An order earned two coupons, of which there are none, and one once a line is back."""
    world = World(a_promotion(TEA, days=0))
    world.tell(paid(ORDER))
    return world


def row(world: World) -> Reward:
    return world.ledger.rows[ID]


@pytest.mark.parametrize(
    ("at", "again"),
    [
        (taipei(4, 9, 59, 59), taipei(4, 10)),
        (taipei(4, 10), taipei(4, 22)),
        (taipei(4, 21, 59, 59), taipei(4, 22)),
        (taipei(4, 22), taipei(5, 10)),
        (taipei(4, 22, 30), taipei(5, 10)),
    ],
)
def test_it_is_booked_again_for_the_next_restocking_hour_strictly_later(
    world: World, at: datetime, again: datetime
) -> None:
    world.now = at
    assert world.grant(ID) == NoStock(ID)
    after = row(world)
    assert (after.status, after.booking_time, after.lock, after.held) == (Status.WAIT, again, None, None)
    assert after.due
    assert parse(after.due.sort).slot == again.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ"), "never in a bucket"
    assert world.grant(ID) == TooEarly(ID)


def test_each_try_is_counted_and_has_the_next_key(world: World) -> None:
    for _ in range(3):
        assert world.grant(ID) == NoStock(ID)
        world.now = row(world).booking_time
    world.coupons.add_stock("1", "TEA", 2)
    assert world.grant(ID) == Granted(ID, 2)
    assert [key.rsplit("#", 1)[1] for key in world.coupons.issues] == ["0", "1", "2", "3"]
    after = row(world)
    assert (after.stock_outs, after.grant_attempt, after.no_stock_since, after.due) == (3, 3, None, None)
    assert len(after.codes) == after.points == 2


def test_the_row_does_not_grow_with_the_tries(world: World) -> None:
    sizes = []
    for _ in range(2 * STOCK_PATIENCE.days):
        world.grant(ID)
        sizes.append(len(str(reward_item(row(world)))))
        world.now = row(world).booking_time
    assert sizes[-1] - sizes[0] == 4, "version, changed version, tries and attempt have one more digit each"


def test_out_of_stock_for_too_long_it_waits_for_a_person(world: World) -> None:
    began = world.now
    while row(world).due:
        outcome = world.grant(ID)
        world.now = row(world).booking_time
    assert outcome == GivenUp(ID)
    after = row(world)
    assert (after.status, after.lock) == (Status.WAIT, None)
    assert after.held
    assert (after.held.kind, after.held.reason) == ("expired", f"out of stock since {began:%Y-%m-%dT%H:%MZ}")
    assert STOCK_PATIENCE <= after.changed_at - began < STOCK_PATIENCE + timedelta(hours=12)
    world.coupons.add_stock("1", "TEA", 2)
    assert world.grant(ID) == NotOwed(ID)


def test_how_long_it_took_to_fall_due_does_not_count(world: World) -> None:
    world.now += 2 * STOCK_PATIENCE
    assert world.grant(ID) == NoStock(ID)


def test_a_provider_without_an_answer_and_one_without_stock_are_waited_for_apart(world: World) -> None:
    while world.now - row(world).ordered_at < timedelta(days=10):
        assert world.grant(ID) == NoStock(ID)
        world.now = row(world).booking_time
    world.coupons.lose_replies = 1
    world.grant(ID)
    assert row(world).held is None, "without an answer for a moment, though out of stock for longer than that is borne"
    assert row(world).no_stock_since == ORDER.ordered_at, "an answer that did not come changes nothing about the stock"


def test_an_order_returned_while_its_coupons_are_out_of_stock_earns_nothing(world: World) -> None:
    world.grant(ID)
    assert world.tell(ALL_BACK) == [Cancelled(ID)]
    assert row(world).due is None


def test_after_a_return_in_part_fewer_are_asked_for(world: World) -> None:
    world.grant(ID)
    assert world.tell(ONE_BACK) == [Lowered(ID)]
    world.coupons.add_stock("1", "TEA", 1)
    world.run(until=row(world).booking_time)
    assert (row(world).status, len(row(world).codes)) == (Status.REWARD, 1)


def test_a_return_during_the_call_that_finds_no_stock_is_dealt_with_at_the_next_try(world: World) -> None:
    outcomes = []
    world.coupons.meanwhile = lambda: outcomes.extend(world.tell(ALL_BACK))
    assert world.grant(ID) == NoStock(ID)
    assert outcomes == [WaitsForWorker(ID)]
    world.coupons.add_stock("1", "TEA", 2)
    world.run(until=row(world).booking_time)
    assert (row(world).status, row(world).due, row(world).return_pending) == (Status.CANCEL, None, False)
    assert world.coupons.coupons() == []


def test_a_return_during_the_last_try_comes_before_a_person(world: World) -> None:
    world.grant(ID)
    world.now += STOCK_PATIENCE
    world.coupons.meanwhile = lambda: world.tell(ALL_BACK)
    assert world.grant(ID) == NoStock(ID)
    world.run(until=row(world).booking_time)
    assert (row(world).status, row(world).held) == (Status.CANCEL, None)


def test_an_order_returned_after_it_was_given_up_earns_nothing_and_needs_nobody(world: World) -> None:
    world.grant(ID)
    world.now += STOCK_PATIENCE
    assert world.grant(ID) == GivenUp(ID)
    assert world.tell(ALL_BACK) == [Cancelled(ID)]
    assert row(world).held is None
