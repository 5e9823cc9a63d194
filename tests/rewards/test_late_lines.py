"""Lines that come after an order was booked: what waits is reckoned anew, what was granted is for a person."""

import pytest

from rewards.errors import Invalid
from rewards.ledger import Contended
from rewards.order import OrderId
from rewards.outcomes import Booked, HeldForPerson, Raised
from rewards.promotion import LoyaltyPoints, Quota
from rewards.provider import Member
from rewards.reward import RewardId
from rewards.status import Status
from tests.builders import a_line, a_promotion, tiers
from tests.fakes.world import LATER, World
from tests.rewards.crm import a_crm_order, a_crm_return

ID = RewardId("1", "TG20193021", "28343")
ORDER = OrderId("1", "TG20193021")
M1 = Member("1", "M1")
L1, L2 = a_line("L1"), a_line("L2")
FIRST, SECOND = a_crm_order(L1), a_crm_order(L2)


def test_a_waiting_reward_counts_them_too() -> None:
    world = World(a_promotion())
    world.take_in(FIRST)
    time = world.ledger.rows[ID].booking_time
    assert world.take_in(SECOND) == [Raised(ID)]
    row = world.ledger.rows[ID]
    assert (row.points, row.base_amount, row.booking_time) == (100, 2000, time)
    assert world.ledger.orders[ORDER].lines == (L1, L2)


def test_those_that_do_not_count_by_the_promotion_are_not_counted() -> None:
    world = World(a_promotion(exclude_skus=("SKU-L2",)))
    world.take_in(FIRST)
    world.take_in(SECOND)
    row = world.ledger.rows[ID]
    assert (row.points, row.lines) == (50, ("L1",))


def test_of_a_promotion_that_is_not_stored_any_more_none_counts() -> None:
    world = World(a_promotion())
    world.take_in(FIRST)
    world.promotions.stored.clear()
    world.take_in(SECOND)
    assert world.ledger.rows[ID].points == 50


def test_a_promotion_that_did_not_match_is_looked_at_again() -> None:
    world = World(a_promotion(min_amount=2000))
    world.take_in(FIRST)
    assert not world.ledger.rows
    assert world.take_in(SECOND) == [Booked(ID)]
    assert world.ledger.rows[ID].points == 100
    assert world.ledger.orders[ORDER].decisions == {"28343": "matched"}


def test_a_reward_that_was_cancelled_since_all_came_back_is_owed_again() -> None:
    world = World(a_promotion())
    world.take_in(a_crm_order(L1, returns=[a_crm_return("L1")]))
    assert world.take_in(SECOND) == [Booked(ID)]
    row = world.ledger.rows[ID]
    assert (row.status, row.points) == (Status.WAIT, 50)
    assert row.due


def test_what_was_granted_is_held_and_takes_back_only_what_it_was_granted_for() -> None:
    world = World(a_promotion())
    world.take_in(FIRST)
    world.run(until=world.now + LATER)
    assert world.take_in(SECOND) == [HeldForPerson(ID)]
    row = world.ledger.rows[ID]
    assert row.held
    assert row.held.reason == "lines came after it was granted: L2"
    world.take_in(a_crm_order(returns=[a_crm_return("L1")]))
    world.run(until=world.now + LATER)
    assert world.points.balances[M1] == 0


def test_what_was_granted_is_not_held_for_lines_that_do_not_count() -> None:
    world = World(a_promotion(skus=("SKU-L1",)))
    world.take_in(FIRST)
    world.run(until=world.now + LATER)
    world.take_in(SECOND)
    assert not world.ledger.rows[ID].held


def test_a_claimed_row_is_waited_for() -> None:
    world = World(a_promotion())
    world.take_in(FIRST)
    world.now += LATER
    world.points.die_before = 1
    with pytest.raises(ConnectionError):
        world.grant(ID)
    with pytest.raises(Contended):
        world.take_in(SECOND)
    assert world.ledger.orders[ORDER].lines == (L1,)


def test_a_reward_without_a_place_stays_without() -> None:
    world = World(a_promotion(quota=Quota(total=0)))
    world.take_in(FIRST)
    world.take_in(SECOND)
    assert world.ledger.rows[ID].status is Status.NO_QUOTA


def test_an_order_does_not_grow_beyond_what_an_event_may_have() -> None:
    world = World(a_promotion())
    world.take_in(a_crm_order(*(a_line(f"A{number}") for number in range(200))))
    with pytest.raises(Invalid, match="201 lines"):
        world.take_in(SECOND)


@pytest.mark.parametrize("reward", [LoyaltyPoints(points=70), tiers((1000, 10), (2000, 90))])
def test_it_does_not_matter_in_how_many_files_an_order_came(reward: LoyaltyPoints) -> None:
    rows = []
    for told in ([a_crm_order(L1, L2)], [FIRST, SECOND], [SECOND, FIRST], [FIRST, a_crm_order(L1, L2)]):
        world = World(a_promotion(reward))
        world.take_in(*told)
        rows.append((world.ledger.rows[ID].points, world.ledger.rows[ID].booking_time))
    assert len(set(rows)) == 1
