"""History: one item for every change, none for a claim, and no gap between them."""

from datetime import timedelta

from rewards.history import Change, HistoryItem, change_between
from rewards.reward import Lock
from rewards.status import Status
from tests.builders import ORDERED_AT, a_reward

LATER = ORDERED_AT + timedelta(days=7)
LOCK = Lock(token="mine", until=LATER, action="grant", key="k", amount=50)


def test_a_new_reward_begins_its_history() -> None:
    booked = a_reward()
    assert HistoryItem.of(Change(None, booked)) == HistoryItem(
        id=booked.id, version=1, after=Status.WAIT, reason="paid", actor="book", at=ORDERED_AT, points=50
    )


def test_a_change_says_what_it_did_and_which_came_before_it() -> None:
    booked = a_reward()
    granted = booked.change("granted", by="grant_points", at=LATER, status=Status.REWARD, points=45)
    change = change_between(booked, granted)
    assert change
    assert HistoryItem.of(change) == HistoryItem(
        id=booked.id,
        version=2,
        previous=1,
        before=Status.WAIT,
        after=Status.REWARD,
        reason="granted",
        actor="grant_points",
        at=LATER,
        points=45,
    )


def test_a_claim_is_no_change_and_leaves_no_gap() -> None:
    booked = a_reward()
    claimed = booked.with_lock(LOCK)
    granted = claimed.change("granted", by="grant_points", at=LATER, status=Status.REWARD, lock=None)
    assert change_between(booked, claimed) is None
    change = change_between(claimed, granted)
    assert change
    item = HistoryItem.of(change)
    assert (item.previous, item.version) == (1, 3)


def test_a_row_that_is_gone_has_no_history_item() -> None:
    assert change_between(a_reward(), None) is None
