"""Granting: claim, call, settle, whatever else happens meanwhile."""

from datetime import timedelta

import pytest

from rewards.claiming import grant_key
from rewards.outcomes import Cancelled, Granted, LostRace, NotOwed, TooEarly, Unsettled, WaitsForWorker
from rewards.provider import Member
from rewards.reward import RewardId
from rewards.status import Status
from tests.builders import a_promotion, a_return, an_order
from tests.fakes.world import LATER, LEASE, World
from tests.rewards.events import PAID, reversed_by

ID = RewardId("1", PAID.order.id.order_group, "28343")
M1 = Member("1", "M1")
ALL_BACK = reversed_by("R1", a_return())


@pytest.fixture
def world() -> World:
    """An order of 1,000 was paid, which earns 50 points after seven days."""
    world = World(a_promotion())
    world.tell(PAID)
    return world


@pytest.fixture
def due(world: World) -> World:
    """The same, with the reward due but not worked on yet."""
    world.now += LATER
    return world


def test_a_reward_is_granted_once_however_often_its_message_comes(due: World) -> None:
    assert due.grant(ID) == Granted(ID, 50)
    assert due.grant(ID) == NotOwed(ID)
    assert due.points.balances[M1] == 50


def test_a_reward_before_its_time_stays_in_the_due_index(world: World) -> None:
    assert world.grant(ID) == TooEarly(ID)
    row = world.ledger.rows[ID]
    assert row.due
    assert row.status is Status.WAIT


def test_a_reward_nobody_booked_is_not_owed(due: World) -> None:
    assert due.grant(RewardId("1", "nobody's", "28343")) == NotOwed(RewardId("1", "nobody's", "28343"))


def test_an_order_cancelled_between_dispatch_and_grant_earns_nothing(due: World) -> None:
    assert due.tell(ALL_BACK) == [Cancelled(ID)]
    assert due.grant(ID) == NotOwed(ID)
    assert due.points.balances[M1] == 0


def test_a_return_during_the_grant_leaves_nothing_with_the_member(due: World) -> None:
    outcomes = []
    due.points.meanwhile = lambda: outcomes.extend(due.tell(ALL_BACK))
    assert due.grant(ID) == Granted(ID, 50)
    assert outcomes == [WaitsForWorker(ID)]
    due.run()
    row = due.ledger.rows[ID]
    assert (row.recycle_points, row.due, row.return_pending) == (50, None, False)
    assert due.points.balances[M1] == 0


def test_two_workers_with_the_same_message_grant_once(due: World) -> None:
    outcomes = []
    due.points.meanwhile = lambda: outcomes.append(due.grant(ID))
    assert due.grant(ID) == Granted(ID, 50)
    assert outcomes == [LostRace(ID)]
    assert due.points.balances[M1] == 50


def test_a_worker_that_stalls_past_its_lease_changes_nothing_when_it_comes_back(due: World) -> None:
    def another_takes_over() -> None:
        due.now += LEASE + timedelta(seconds=1)
        assert due.grant(ID) == Granted(ID, 50)
        due.tell(ALL_BACK)
        due.run()

    due.points.meanwhile = another_takes_over
    assert due.grant(ID) == LostRace(ID)
    assert due.ledger.rows[ID].recycle_points == 50
    assert due.points.balances[M1] == 0


def test_an_unknown_answer_is_asked_for_again_at_once_with_the_same_key(due: World) -> None:
    due.points.lose_replies = 1
    assert isinstance(due.grant(ID), Unsettled)
    first = due.ledger.rows[ID].lock
    assert first
    assert due.grant(ID) == Granted(ID, 50)
    assert list(due.points.entries) == [first.key]
    assert due.points.balances[M1] == 50


def test_a_return_after_an_unknown_answer_is_taken_back_too(due: World) -> None:
    due.points.lose_replies = 1
    due.grant(ID)
    assert due.tell(ALL_BACK) == [WaitsForWorker(ID)]
    due.run()
    assert due.ledger.rows[ID].recycle_points == 50
    assert due.points.balances[M1] == 0


def test_what_is_granted_is_what_the_row_says_not_what_the_order_once_earned(due: World) -> None:
    due.tell(reversed_by("R1", a_return(an_order().lines[:0])))  # nothing in it: nothing changes
    assert due.grant(ID) == Granted(ID, 50)


def test_claims_raise_the_version_but_make_no_history(due: World) -> None:
    booked = due.ledger.rows[ID]
    due.grant(ID)
    granted = due.ledger.rows[ID]
    assert (booked.version, granted.version) == (1, 3)
    assert (booked.changed_version, granted.changed_version) == (1, 3)


def test_where_the_provider_has_given_more_than_is_owed_the_rest_is_taken_back(due: World) -> None:
    due.points.entries[grant_key(due.ledger.rows[ID])] = 70
    due.points.balances[M1] = 70
    assert due.grant(ID) == Granted(ID, 70)
    due.run()
    row = due.ledger.rows[ID]
    assert (row.points, row.recycle_points, row.due) == (70, 20, None)
    assert due.points.balances[M1] == 50
