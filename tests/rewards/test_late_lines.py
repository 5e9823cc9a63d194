"""Lines that come after an order was booked: what waits is reckoned anew, what was granted is for a person."""

from datetime import timedelta

import pytest

from rewards.errors import Invalid
from rewards.ledger import Contended
from rewards.order import OrderId
from rewards.outcomes import Booked, HeldForPerson, Raised
from rewards.promotion import Benefit, ECoupon, LoyaltyPoints, Quota
from rewards.provider import Member, NotNow
from rewards.reward import RewardId
from rewards.status import Status
from tests.builders import a_line, a_promotion, an_order, tiers
from tests.fakes.audited import findings_of
from tests.fakes.world import LATER, World
from tests.rewards.crm import a_crm_order, a_crm_return
from tests.rewards.events import placed

ID = RewardId("1", "TG20193021", "28343")
ORDER = OrderId("1", "TG20193021")
M1 = Member("1", "M1")
HOUR = timedelta(hours=1)
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


def test_lines_that_were_placed_and_paid_later_do_not_keep_what_was_granted_without_them() -> None:
    """Placed with three lines, paid with two, granted; then the third comes, and the first goes back."""
    quota = Quota(total=5, occupy=True)
    world = World(a_promotion(LoyaltyPoints(points=10), days=0, skus=("SKU-L1", "SKU-L3"), quota=quota))
    lines = [a_line(f"L{number}") for number in (1, 2, 3)]
    world.tell(placed(an_order(lines, source="Others")))
    world.take_in(a_crm_order(*lines[:2]))
    world.run(world.now + 2 * HOUR)
    assert world.take_in(a_crm_order(*lines)) == [HeldForPerson(ID)]
    world.take_in(a_crm_order(returns=[a_crm_return("L1")]))
    world.run(world.now + 72 * HOUR)
    assert (world.ledger.rows[ID].lines, world.ledger.rows[ID].recycle_points) == (("L1",), 10)
    assert findings_of(world) == []


@pytest.mark.parametrize("reward", [ECoupon("TEA", quantity=1), LoyaltyPoints(points=10)])
def test_lines_that_earn_nothing_cancel_what_a_return_has_taken_everything_from_unseen(reward: Benefit) -> None:
    """The return comes while a worker has the row, and the worker gets nothing."""
    world = World(a_promotion(reward, days=0, skus=("SKU-L1",)))
    world.take_in(FIRST)
    returns = a_crm_order(returns=[a_crm_return("L1")])
    world.coupons.meanwhile = world.points.meanwhile = lambda: world.take_in(returns)
    world.points.instead.append(NotNow("busy"))
    world.grant(ID)
    world.take_in(a_crm_order(L1, L2))
    assert (world.ledger.rows[ID].status, world.ledger.rows[ID].points) == (Status.CANCEL, 0)
    assert findings_of(world) == []


def test_a_reward_that_is_revived_is_tried_as_if_it_were_new() -> None:
    world = World(a_promotion(days=0))
    world.take_in(FIRST)
    world.points.instead.append(NotNow("busy"))
    world.grant(ID)
    world.take_in(a_crm_order(returns=[a_crm_return("L1")]))
    assert world.ledger.rows[ID].status is Status.CANCEL
    world.now += 20 * 24 * HOUR
    world.take_in(a_crm_order(L1, L2))
    world.points.instead.append(NotNow("busy"))
    world.grant(ID)
    assert (world.ledger.rows[ID].held, world.ledger.rows[ID].attempts) == (None, 1)
    assert findings_of(world) == []
