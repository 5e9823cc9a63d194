"""What a reward waits for, said for each way of waiting."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from rewards.reward import Due, Held, Lock
from rewards.status import Status
from rewards.waiting import Waiting, waits_for
from tests.builders import NOW, a_reward
from tests.fakes.world import TIMETABLE

AT_TWO = datetime(2026, 11, 9, 18, tzinfo=UTC)  # on the tenth, in Taipei
HOUR = timedelta(hours=1)
RECYCLE = Due("recycle#2026-11-10#00", "2026-11-10T02:30Z#1#M1#28343#2026-11-03T04:00:00.000000Z#TG20193021")
NOT_ANSWERED = Lock("dead", AT_TWO + HOUR, "grant", "key", 50)


def waiting(at: datetime, status: str = "WaitToReward", **fields: Any) -> Waiting | None:
    return waits_for(a_reward(status, **fields), timetable=TIMETABLE, now=at)


@pytest.mark.parametrize("at", [AT_TWO - HOUR, AT_TWO, AT_TWO + HOUR - timedelta(seconds=1)])
def test_a_booked_reward_waits_for_the_end_of_its_window(at: datetime) -> None:
    assert waiting(at) == Waiting("window", AT_TWO + HOUR)


def test_once_its_window_is_released_it_waits_for_a_worker() -> None:
    assert waiting(AT_TWO + HOUR) == Waiting("worker")
    assert waiting(NOW, attempts=3) == Waiting("worker", why="3 × no answer from the provider")


def test_what_counts_from_shipping_waits_for_the_parcel() -> None:
    assert waiting(NOW, booking_time=None, due=None) == Waiting("shipping")


def test_a_coupon_out_of_stock_waits_for_the_next_restocking_hour() -> None:
    assert waiting(AT_TWO - HOUR, stock_outs=2) == Waiting("stock", AT_TWO, "2 × out of stock")
    assert waiting(AT_TWO + HOUR, stock_outs=2) == Waiting("worker")


def test_a_claimed_reward_waits_for_its_worker_until_the_lease_is_over() -> None:
    assert waiting(AT_TWO, lock=NOT_ANSWERED) == Waiting("lease", NOT_ANSWERED.until)
    assert waiting(NOT_ANSWERED.until, lock=NOT_ANSWERED) == Waiting("worker")


def test_an_unpaid_order_waits_for_its_payment() -> None:
    deadline = NOW + HOUR
    assert waiting(NOW, "Occupy", unpaid_until=deadline) == Waiting("payment", deadline)


def test_what_is_held_waits_for_a_person_whatever_else_it_does() -> None:
    held = Held("refused", "no such account")
    assert waiting(NOW, held=held, lock=NOT_ANSWERED) == Waiting("person", why="no such account")


def test_what_came_back_waits_to_be_taken_back() -> None:
    due = datetime(2026, 11, 10, 2, 30, tzinfo=UTC)
    assert waiting(due - HOUR, "Reward", due=RECYCLE) == Waiting("window", due)
    assert waiting(due, "Reward", due=RECYCLE) == Waiting("worker")


@pytest.mark.parametrize("status", [Status.REWARD, Status.CANCEL, Status.NO_QUOTA])
def test_what_is_settled_waits_for_nothing(status: Status) -> None:
    assert waits_for(replace(a_reward(status), due=None), timetable=TIMETABLE, now=NOW) is None
