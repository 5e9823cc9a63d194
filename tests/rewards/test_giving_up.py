"""A provider that refuses, or gives no answer: nothing is lost or done twice, and in the end a person looks."""

from datetime import timedelta

import pytest

from rewards.order import ReturnedLine
from rewards.outcomes import Cancelled, GivenUp, Granted, Lowered, NotOwed, Recycled, SentToRecycle, Unsettled
from rewards.provider import Member, NotNow, Refused, Unknown
from rewards.reward import Held, Reward, RewardId
from rewards.status import Status
from tests.builders import a_promotion, a_return, an_order
from tests.fakes.world import LATER, PATIENCE, World
from tests.rewards.events import paid, reversed_by

ORDER = an_order(lines=2)
ID = RewardId(*ORDER.id, "28343")
M1 = Member("1", "M1")
ONE_BACK = reversed_by("R1", a_return([ReturnedLine("L1", 1)]), ORDER)
ALL_BACK = reversed_by("R2", a_return(), ORDER)
BUSY = NotNow("429 Too Many Requests")
SILENT = Unknown("timeout")
NO = Refused("the member's account is closed")


@pytest.fixture
def due() -> World:
    """An order of two lines earned 100 points, which are due."""
    world = World(a_promotion())
    world.tell(paid(ORDER))
    world.now += LATER
    return world


@pytest.fixture
def returned(due: World) -> World:
    """They were granted, and one line came back."""
    due.grant(ID)
    due.tell(ONE_BACK)
    return due


def row(world: World) -> Reward:
    return world.ledger.rows[ID]


def test_a_refused_grant_waits_for_a_person_and_the_next_try_has_the_next_key(due: World) -> None:
    due.points.instead = [NO]
    assert due.grant(ID) == GivenUp(ID)
    after = row(due)
    assert (after.status, after.held, after.due, after.lock) == (Status.WAIT, Held("refused", NO.reason), None, None)
    assert after.grant_attempt == 1
    assert due.grant(ID) == NotOwed(ID)
    assert after.changed_version == after.version, "a person finds it in the history"


def test_an_order_returned_after_its_grant_was_refused_needs_nobody(due: World) -> None:
    due.points.instead = [NO]
    due.grant(ID)
    assert due.tell(ONE_BACK) == [Lowered(ID)]
    assert (row(due).points, row(due).held, row(due).due) == (50, Held("refused", NO.reason), None)
    assert due.tell(ALL_BACK) == [Cancelled(ID)]
    assert row(due).held is None


@pytest.mark.parametrize(("back", "status", "points"), [(ALL_BACK, Status.CANCEL, 0), (ONE_BACK, Status.REWARD, 50)])
def test_a_return_while_the_provider_refuses_comes_before_a_person(
    due: World, back: object, status: Status, points: int
) -> None:
    due.points.instead = [NO]
    due.points.meanwhile = lambda: due.tell(back)
    assert due.grant(ID) == Unsettled(ID, NO.reason)
    due.run()
    assert (row(due).status, row(due).held, row(due).due) == (status, None, None)
    assert due.points.balances[M1] == points


def test_a_provider_that_does_nothing_now_leaves_the_row_as_free_as_it_was(due: World) -> None:
    due.points.instead = [BUSY]
    assert due.grant(ID) == Unsettled(ID, BUSY.problem)
    after = row(due)
    assert (after.lock, after.attempts, after.first_failed_at) == (None, 1, due.now)
    assert after.due
    assert due.tell(ALL_BACK) == [Cancelled(ID)], "nothing has to be granted first"


def test_where_something_may_have_been_done_before_the_intent_stands(due: World) -> None:
    due.points.instead = [SILENT, BUSY]
    due.grant(ID)
    first = row(due).lock
    assert first
    due.grant(ID)
    second = row(due).lock
    assert second
    assert (second.key, second.amount) == (first.key, first.amount)
    assert not row(due).is_locked(due.now), "anyone may ask again"


def test_key_and_amount_stay_after_an_unknown_answer_whatever_comes_back_meanwhile(due: World) -> None:
    due.points.lose_replies = 1
    assert isinstance(due.grant(ID), Unsettled)
    due.tell(ONE_BACK)
    assert due.grant(ID) == Granted(ID, 100)
    assert len(due.points.entries) == 1
    due.run()
    assert due.points.balances[M1] == 50


def test_without_an_answer_for_too_long_it_waits_for_a_person_with_its_intent(due: World) -> None:
    due.points.instead = [SILENT] * 3
    for wait in (timedelta(), PATIENCE - timedelta(seconds=1)):
        due.now += wait
        assert isinstance(due.grant(ID), Unsettled)
    key = row(due).lock.key
    due.now += timedelta(seconds=1)
    assert due.grant(ID) == GivenUp(ID)
    after = row(due)
    assert (after.held, after.due, after.status) == (Held("exhausted", "timeout"), None, Status.WAIT)
    assert after.lock
    assert after.lock.key == key
    assert due.grant(ID) == NotOwed(ID)


def test_an_answer_ends_the_wait_that_came_before_it(due: World) -> None:
    due.points.instead = [SILENT]
    due.grant(ID)
    due.grant(ID)
    assert (row(due).status, row(due).attempts, row(due).first_failed_at) == (Status.REWARD, 0, None)


def test_a_return_at_the_last_try_comes_before_a_person_where_nothing_can_have_been_done(due: World) -> None:
    due.points.instead = [BUSY, BUSY]
    due.grant(ID)
    due.now += PATIENCE
    due.points.meanwhile = lambda: due.tell(ALL_BACK)
    assert due.grant(ID) == Unsettled(ID, BUSY.problem)
    due.run()
    assert (row(due).status, row(due).held) == (Status.CANCEL, None)
    assert due.points.entries == {}


def test_a_refused_recycle_waits_for_a_person_and_the_next_return_asks_for_all_once_more(returned: World) -> None:
    returned.points.instead = [NO]
    assert returned.recycle(ID) == GivenUp(ID)
    after = row(returned)
    assert (after.held, after.due, after.recycle_seq, after.recycle_points) == (Held("refused", NO.reason), None, 1, 0)
    assert returned.recycle(ID) == NotOwed(ID)

    assert returned.tell(ALL_BACK) == [SentToRecycle(ID)]
    assert row(returned).held is None
    assert returned.recycle(ID) == Recycled(ID, 100)
    assert returned.points.balances[M1] == 0


def test_a_recycle_refused_again_and_again_ends_with_a_person_though_more_came_back(returned: World) -> None:
    returned.points.instead = [NO, NO]
    returned.points.meanwhile = lambda: returned.tell(ALL_BACK)
    assert returned.recycle(ID) == Unsettled(ID, NO.reason)
    assert returned.recycle(ID) == GivenUp(ID)
    assert (row(returned).due, row(returned).return_pending) == (None, False)


def test_a_recycle_without_an_answer_is_asked_for_again_with_its_key_and_amount(returned: World) -> None:
    returned.points.lose_replies = 1
    assert isinstance(returned.recycle(ID), Unsettled)
    returned.tell(ALL_BACK)
    assert returned.recycle(ID) == Recycled(ID, 50)
    returned.run()
    assert (row(returned).recycle_points, returned.points.balances[M1]) == (100, 0)
    assert len(returned.points.entries) == 3


def test_a_recycle_without_an_answer_for_too_long_waits_for_a_person(returned: World) -> None:
    returned.points.instead = [SILENT, SILENT]
    returned.recycle(ID)
    returned.now += PATIENCE
    assert returned.recycle(ID) == GivenUp(ID)
    assert (row(returned).held, row(returned).due) == (Held("exhausted", "timeout"), None)
    assert row(returned).lock


def test_who_was_paid_again_is_recycled_like_anyone_else(returned: World) -> None:
    returned.run()
    returned.tell(paid(ORDER, "again"))
    assert row(returned).held.kind == "paid again"
    returned.tell(ALL_BACK)
    returned.points.instead = [BUSY]
    assert returned.recycle(ID) == Unsettled(ID, BUSY.problem)
    assert returned.recycle(ID) == Recycled(ID, 50)
    assert row(returned).held.kind == "paid again"
