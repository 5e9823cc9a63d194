"""What a till's file says is booked and withdrawn like online, and adds only what is new."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from rewards.order import OrderId, ReturnedLine
from rewards.outcomes import (
    AlreadyPaid,
    Booked,
    Cancelled,
    LeftToEvents,
    Lowered,
    ReturnKept,
    SentToRecycle,
    ToldOtherwise,
    TooEarly,
)
from rewards.provider import Member
from rewards.reward import RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_line, a_promotion, a_return, an_order
from tests.fakes.world import LATER, World
from tests.rewards.crm import a_crm_order, a_crm_return
from tests.rewards.events import paid, reversed_by

ID = RewardId("1", "TG20193021", "28343")
ORDER = OrderId("1", "TG20193021")
M1 = Member("1", "M1")
LINES = (a_line("L1", quantity=2), a_line("L2"))
SOLD = a_crm_order(*LINES)
BACK = a_crm_order(*LINES, returns=[a_crm_return("L2")])


@pytest.fixture
def world() -> World:
    return World(a_promotion())


@pytest.fixture
def granted(world: World) -> World:
    world.take_in(SOLD)
    world.run(until=world.now + LATER)
    assert world.points.balances[M1] == 100
    return world


def test_a_sale_is_booked_as_of_when_it_was_made(world: World) -> None:
    assert world.take_in(SOLD) == [Booked(ID)]
    online = World(a_promotion())
    online.tell(paid(an_order(LINES)))
    row, same = world.ledger.rows[ID], online.ledger.rows[ID]
    assert (row.points, row.booking_time, row.source) == (same.points, same.booking_time, "Others")


def test_one_that_arrives_after_its_time_is_due_at_once(world: World) -> None:
    world.now = ORDERED_AT + LATER
    world.take_in(SOLD)
    assert len(world.grants.waiting) == 1
    row = world.ledger.rows[ID]
    assert row.booking_time
    assert row.booking_time < world.now
    assert row.due
    assert row.due.sort.startswith(f"{world.now:%Y-%m-%dT%H}")


@pytest.mark.parametrize("told", [SOLD, BACK])
def test_the_same_file_again_changes_nothing(world: World, told: object) -> None:
    world.take_in(told)
    before = dict(world.ledger.orders), dict(world.ledger.rows)
    world.take_in(told, told)
    assert (world.ledger.orders, world.ledger.rows) == before


def test_what_came_back_before_it_is_booked_is_not_earned(world: World) -> None:
    assert world.take_in(BACK) == [ReturnKept(ORDER), Booked(ID)]
    assert world.ledger.rows[ID].points == 50


def test_a_return_of_an_order_never_seen_leaves_a_tombstone_and_the_order_earns_only_what_is_left(world: World) -> None:
    assert world.take_in(a_crm_order(returns=[a_crm_return("L2")])) == [ReturnKept(ORDER)]
    assert world.take_in(SOLD) == [Booked(ID)]
    assert world.ledger.rows[ID].points == 50


def test_a_return_lowers_or_cancels_what_waits(world: World) -> None:
    world.take_in(SOLD)
    assert Lowered(ID) in world.take_in(BACK)
    rest = a_crm_return("L1", quantity=2)
    assert Cancelled(ID) in world.take_in(a_crm_order(*LINES, returns=[a_crm_return("L2"), rest]))


@pytest.mark.parametrize(
    ("told_at", "recycled_at"),
    [
        ("2026-12-10T06:00:00+08:00", "2026-12-10T10:30:00+08:00"),
        ("2026-12-10T10:29:59+08:00", "2026-12-10T10:30:00+08:00"),
        ("2026-12-10T10:30:00+08:00", "2026-12-11T10:30:00+08:00"),
        ("2026-12-10T22:00:00+08:00", "2026-12-11T10:30:00+08:00"),
    ],
)
def test_what_was_granted_is_taken_back_at_the_next_half_past_ten(
    granted: World, told_at: str, recycled_at: str
) -> None:
    at = datetime.fromisoformat(recycled_at)
    granted.now = datetime.fromisoformat(told_at)
    assert SentToRecycle(ID) in granted.take_in(BACK)
    row = granted.ledger.rows[ID]
    assert row.due
    assert row.due.sort.split("#")[0] == f"{at.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
    assert not granted.recycles.waiting
    granted.now = at - timedelta(seconds=1)
    assert granted.recycle(ID) == TooEarly(ID)
    granted.run(until=at)
    assert granted.points.balances[M1] == 50


def test_a_file_that_comes_again_does_not_put_the_recycle_off(granted: World) -> None:
    granted.take_in(BACK)
    due = granted.ledger.rows[ID].due
    granted.now += timedelta(days=1)
    granted.take_in(BACK)
    assert granted.ledger.rows[ID].due == due


def test_each_return_of_a_line_counts_by_its_id_and_one_without_an_id_counts_once(world: World) -> None:
    one, other = a_crm_return(amount="500", return_id="R1"), a_crm_return(amount="500", return_id="R2")
    world.take_in(SOLD)
    world.take_in(a_crm_order(returns=[one]), a_crm_order(returns=[one, other]))
    world.take_in(a_crm_order(returns=[a_crm_return("L2")]), a_crm_order(returns=[a_crm_return("L2")]))
    assert list(world.ledger.orders[ORDER].returns) == ["R1", "R2", "crm:L2"]
    assert world.ledger.rows[ID].status is Status.CANCEL


def test_a_line_that_a_known_return_lacks_is_added(world: World) -> None:
    one, other = a_crm_return("L1", return_id="R1"), a_crm_return("L2", return_id="R1")
    world.take_in(a_crm_order(returns=[one]))
    for _ in range(2):
        world.take_in(a_crm_order(returns=[other, one]))
    assert list(world.ledger.orders[ORDER].returns) == ["R1", "R1:L2"]


def test_a_line_told_otherwise_than_before_changes_nothing_and_is_told_of(world: World) -> None:
    world.take_in(SOLD)
    assert world.take_in(a_crm_order(a_line("L1", quantity=3))) == [ToldOtherwise(ORDER)]
    assert world.take_in(a_crm_order(*LINES, a_line("L3"), member_id="M2")) == [ToldOtherwise(ORDER)]
    assert world.ledger.orders[ORDER].lines == LINES


class TestOfAnOnlineOrder:
    @pytest.fixture
    def online(self) -> World:
        world = World(a_promotion())
        world.tell(paid(an_order([a_line("L1", "3000", quantity=3), a_line("L2")])))
        return world

    def returned(self, world: World) -> int:
        returns = world.ledger.orders[ORDER].returns.values()
        return sum(each.quantity for told in returns for each in told.lines if isinstance(each, ReturnedLine))

    def test_only_what_exceeds_the_known_returns_is_withdrawn(self, online: World) -> None:
        online.tell(reversed_by("R1", a_return([ReturnedLine("L1", 1, Decimal(900))])))
        online.take_in(a_crm_order(returns=[a_crm_return(quantity=2, amount="1900")]))
        assert online.ledger.orders[ORDER].returns["crm:L1:2"].lines == (ReturnedLine("L1", 1, Decimal(1000)),)
        assert online.ledger.rows[ID].points == 105

    def test_the_same_total_again_is_nothing_new_and_a_higher_one_is(self, online: World) -> None:
        for quantity in (1, 1, 3, 2, 3):
            online.take_in(a_crm_order(returns=[a_crm_return(quantity=quantity, amount=1000 * quantity)]))
        assert list(online.ledger.orders[ORDER].returns) == ["crm:L1:1", "crm:L1:3"]
        assert self.returned(online) == 3

    def test_beyond_returns_without_amounts_the_rest_is_pro_rata(self, online: World) -> None:
        online.tell(reversed_by("R1", a_return([ReturnedLine("L1", 1)])))
        online.take_in(a_crm_order(returns=[a_crm_return(quantity=2, amount="1900")]))
        assert online.ledger.orders[ORDER].returns["crm:L1:2"].lines == (ReturnedLine("L1", 1),)

    def test_beyond_the_return_of_everything_there_is_nothing(self, online: World) -> None:
        online.tell(reversed_by("R1", a_return()))
        online.take_in(a_crm_order(returns=[a_crm_return(quantity=3)]))
        assert list(online.ledger.orders[ORDER].returns) == ["R1"]

    def test_its_payment_is_left_to_its_events(self, online: World) -> None:
        order = online.ledger.orders[ORDER]
        assert online.take_in(a_crm_order(a_line("L9"))) == [LeftToEvents(ORDER)]
        assert online.ledger.orders[ORDER] == order

    def test_what_was_granted_is_taken_back_now(self, online: World) -> None:
        online.run(until=online.now + LATER)
        online.take_in(a_crm_order(returns=[a_crm_return("L2")]))
        assert len(online.recycles.waiting) == 1


def test_the_till_and_an_event_may_tell_of_the_same_payment(world: World) -> None:
    world.tell(paid(an_order(LINES, source="Others")))
    assert world.take_in(SOLD) == [AlreadyPaid(ORDER)]
    assert len(world.ledger.rows) == 1
