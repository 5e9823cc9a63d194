"""Parking: a row that nobody works on any more gets one letter, with what it takes to try again."""

from datetime import timedelta

import pytest

from rewards.history import Change
from rewards.parking import letter_of
from rewards.reward import Held, Reward
from rewards.tasks import parse_task
from tests.builders import NOW, a_reward

SINCE = NOW - timedelta(days=3)
LONG_SINCE = NOW - timedelta(days=14)
FAILED = a_reward(attempts=41, first_failed_at=SINCE, stock_outs=28, no_stock_since=LONG_SINCE)


def parked(kind: str, before: Reward = FAILED) -> Change:
    fields = {"attempts": 0, "first_failed_at": None, "no_stock_since": None, "due": None}
    return Change(before, before.change("given up", by="grant_coupon", at=NOW, held=Held(kind, "it said no"), **fields))


@pytest.mark.parametrize(
    ("kind", "attempts", "since"), [("refused", 42, SINCE), ("exhausted", 42, SINCE), ("expired", 28, LONG_SINCE)]
)
def test_a_parked_row_gets_a_letter_that_says_why_and_since_when(kind: str, attempts: int, since: object) -> None:
    letter = letter_of(parked(kind))
    assert letter
    assert (letter.kind, letter.error, letter.step) == (kind, "it said no", "grant_coupon")
    assert (letter.attempts, letter.first_failed_at, letter.failed_at) == (attempts, since, NOW)


def test_the_letter_names_the_row_for_people_and_for_its_step() -> None:
    letter = letter_of(parked("refused"))
    assert letter
    assert (letter.shop_id, letter.order_group, letter.promotion_id) == FAILED.id
    assert parse_task(letter.body).rewards() == [FAILED.id]


def test_what_fails_at_once_failed_first_when_it_failed_last() -> None:
    letter = letter_of(parked("refused", before=a_reward()))
    assert letter
    assert (letter.attempts, letter.first_failed_at) == (1, NOW)


def test_the_same_change_is_the_same_letter_and_another_time_another() -> None:
    change = parked("refused")
    assert letter_of(change) == letter_of(change)
    again = parked("refused", before=change.after.change("redriven", by="redrive", at=NOW, held=None, due=FAILED.due))
    assert letter_of(again).id != letter_of(change).id


def test_no_other_change_gets_a_letter() -> None:
    held = parked("refused").after
    assert letter_of(Change(None, FAILED)) is None
    assert letter_of(Change(FAILED, FAILED.change("granted", by="grant_points", at=NOW))) is None
    assert letter_of(Change(held, held.change("returned in part", by="withdraw", at=NOW, points=20))) is None
    assert letter_of(Change(held, held.change("redriven", by="redrive", at=NOW, held=None))) is None
    assert letter_of(parked("paid again")) is None
