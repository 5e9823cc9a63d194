"""Withdrawal: what came back is recorded once, and every reward is made to agree with it."""

import pytest

from rewards.errors import Invalid
from rewards.events import PaymentFailed
from rewards.identifiers import join
from rewards.order import ReturnedLine
from rewards.outcomes import Cancelled, Lowered, NotHeldBack, Recycled, ReturnKept, SentToRecycle, Shortfall, Unchanged
from rewards.provider import Member
from rewards.reward import Held, RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_promotion, a_return, an_order
from tests.fakes.world import LATER, World
from tests.rewards.events import paid, reversed_by

ORDER = an_order(lines=2)
ID = RewardId("1", ORDER.id.order_group, "28343")
M1 = Member("1", "M1")
ONE_LINE_BACK = reversed_by("R1", a_return([ReturnedLine("L1", 1)]))
ALL_BACK = reversed_by("R2", a_return())


@pytest.fixture
def waiting() -> World:
    """An order of two lines of 1,000 was paid, which earns 100 points after seven days."""
    world = World(a_promotion())
    world.tell(paid(ORDER))
    return world


@pytest.fixture
def granted(waiting: World) -> World:
    waiting.run(until=waiting.now + LATER)
    assert waiting.points.balances[M1] == 100
    return waiting


def test_a_waiting_reward_is_lowered_to_what_the_kept_lines_earn(waiting: World) -> None:
    assert waiting.tell(ONE_LINE_BACK) == [Lowered(ID)]
    row = waiting.ledger.rows[ID]
    assert (row.status, row.points, row.is_recycle) == (Status.WAIT, 50, False)


def test_a_waiting_reward_with_nothing_left_to_earn_is_cancelled_and_leaves_the_due_index(waiting: World) -> None:
    assert waiting.tell(ALL_BACK) == [Cancelled(ID)]
    row = waiting.ledger.rows[ID]
    assert (row.status, row.points, row.due) == (Status.CANCEL, 0, None)


def test_a_granted_reward_stands_in_the_due_index_until_it_is_taken_back(granted: World) -> None:
    assert granted.tell(ONE_LINE_BACK) == [SentToRecycle(ID)]
    assert granted.ledger.rows[ID].due
    assert granted.recycle(ID) == Recycled(ID, 50)
    row = granted.ledger.rows[ID]
    assert (row.status, row.recycle_points, row.is_recycle, row.due) == (Status.REWARD, 50, True, None)


def test_the_same_return_again_takes_nothing_more(granted: World) -> None:
    granted.tell(ONE_LINE_BACK)
    granted.run()
    assert granted.tell(ONE_LINE_BACK) == [Unchanged(ID)]
    assert granted.points.balances[M1] == 50


def test_a_repeat_goes_on_to_the_rewards_since_the_first_delivery_may_have_died_before_them(granted: World) -> None:
    order = granted.ledger.orders[ORDER.id]
    granted.tell(ONE_LINE_BACK)
    with_the_return = granted.ledger.orders[ORDER.id]
    assert with_the_return.version == order.version + 1
    row = granted.ledger.rows[ID]
    assert granted.tell(ONE_LINE_BACK) == [SentToRecycle(ID)]
    assert granted.ledger.orders[ORDER.id] == with_the_return
    assert granted.ledger.rows[ID].version == row.version + 1, "a claim made before this return must not settle over it"


def test_a_return_of_an_order_never_seen_is_remembered() -> None:
    world = World(a_promotion())
    assert world.tell(ONE_LINE_BACK) == [ReturnKept(ORDER.id)]
    tombstone = world.ledger.orders[ORDER.id]
    assert tombstone.lines == ()
    assert not tombstone.is_paid


def test_a_failed_payment_changes_nothing_of_what_is_paid(waiting: World) -> None:
    failed = PaymentFailed(event_id="f", occurred_at=ORDERED_AT, order_id=ORDER.id, attempt="1")
    before = dict(waiting.ledger.rows)
    assert waiting.tell(failed) == [NotHeldBack(ORDER.id)]
    assert waiting.ledger.rows == before


def test_a_return_in_another_currency_is_refused_and_not_recorded(granted: World) -> None:
    with pytest.raises(Invalid, match="currency: 'USD', but the order is in TWD"):
        granted.tell(reversed_by("R1", a_return(currency="USD")))
    assert granted.ledger.orders[ORDER.id].returns == {}


def test_what_the_balance_does_not_cover_is_a_shortfall_and_is_not_asked_for_again(granted: World) -> None:
    granted.points.balances[M1] = 30
    granted.tell(ALL_BACK)
    assert granted.recycle(ID) == Shortfall(ID, 30, 70)
    row = granted.ledger.rows[ID]
    assert (row.recycle_points, row.shortfall, row.outstanding, row.due) == (30, 70, 0, None)
    assert granted.points.balances[M1] == 0


def test_a_promotion_may_let_the_balance_go_into_debt() -> None:
    world = World(a_promotion(on_shortfall="debt"))
    world.tell(paid(ORDER))
    world.run(until=world.now + LATER)
    world.points.balances[M1] = 30
    world.tell(ALL_BACK)
    assert world.recycle(ID) == Recycled(ID, 100)
    assert world.points.balances[M1] == -70


def test_a_return_during_a_recycle_is_taken_back_as_well(granted: World) -> None:
    granted.tell(ONE_LINE_BACK)
    granted.points.meanwhile = lambda: granted.tell(ALL_BACK)
    assert granted.recycle(ID) == Recycled(ID, 50)
    assert granted.ledger.rows[ID].due
    granted.run()
    row = granted.ledger.rows[ID]
    assert (row.recycle_points, row.recycle_seq, row.due) == (100, 2, None)
    assert granted.points.balances[M1] == 0


def test_a_reclaim_whose_reply_was_lost_takes_back_once(granted: World) -> None:
    granted.points.lose_replies = 1
    granted.tell(ALL_BACK)
    granted.run()
    assert granted.ledger.rows[ID].recycle_points == 100
    assert granted.points.balances[M1] == 0


def test_a_return_id_that_stood_for_something_else_is_refused_and_what_it_stood_for_is_kept(granted: World) -> None:
    granted.tell(ONE_LINE_BACK)
    with pytest.raises(Invalid, match="return_id: 'R1' was told before with other lines"):
        granted.tell(reversed_by("R1", a_return([ReturnedLine("L2", 1)])))
    granted.run()
    assert granted.points.balances[M1] == 50


def test_a_return_in_another_currency_does_not_count_whether_it_comes_before_the_payment_or_after() -> None:
    world = World(a_promotion())
    world.tell(reversed_by("R1", a_return(currency="USD")))
    world.tell(paid(ORDER))
    world.run(until=world.now + LATER)
    assert world.points.balances[M1] == 100
    assert "R1" in world.ledger.orders[ORDER.id].returns, "it is kept for whoever looks"


def test_a_return_of_a_parked_reward_that_is_claimed_brings_a_worker_back_to_find_out_what_was_done(
    waiting: World,
) -> None:
    waiting.now += LATER
    waiting.points.lose_replies = 1
    waiting.grant(ID)
    row = waiting.ledger.rows[ID]
    assert row.lock
    parked = row.change("given up", by="grant_points", at=waiting.now, held=Held("exhausted", "no answer"), due=None)
    assert waiting.ledger.write_reward(row, parked)
    waiting.tell(ALL_BACK)
    waiting.run()
    row = waiting.ledger.rows[ID]
    assert (row.lock, row.held, row.return_pending, row.due) == (None, None, False, None)
    assert waiting.points.balances[M1] == 0


def test_what_an_earlier_answer_took_beyond_what_is_asked_is_no_negative_shortfall(granted: World) -> None:
    granted.points.balances[M1] -= 100
    granted.points.entries[join(*ID, "reclaim", "0")] = -100  # for both lines, before the ledger was restored
    granted.tell(ONE_LINE_BACK)
    assert granted.recycle(ID) == Recycled(ID, 100)
    granted.tell(ALL_BACK)
    granted.run()
    row = granted.ledger.rows[ID]
    assert (row.recycle_points, row.shortfall, row.outstanding) == (100, 0, 0)
    assert granted.points.balances[M1] == 0
