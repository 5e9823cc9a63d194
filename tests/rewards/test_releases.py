"""Planner, dispatcher and sweep together: when a waiting reward leaves, and that it leaves once."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from rewards.booking_time import Buckets
from rewards.dispatching import dispatch
from rewards.planning import Run, plan
from rewards.promotion import Days
from rewards.sweeping import sweep
from rewards.tasks import ShardWindow
from rewards.timetable import Timetable
from tests.builders import a_paid_order, a_reward
from tests.fakes.control import MemoryControl
from tests.fakes.due_index import MemoryDueIndex
from tests.fakes.ledger import MemoryLedger
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueues, MemoryWindows, rewards_in

TAIPEI = ZoneInfo("Asia/Taipei")
HOUR = timedelta(hours=1)
GRACE = timedelta(minutes=30)
TIMETABLE = Timetable(TAIPEI, Buckets(3, 0), HOUR, shards=4, retry_hours=(10, 22))


class Clockwork:
    """Rows that wait, and the schedule that releases them. No worker is there, so no row ever changes its status."""

    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self.control = MemoryControl()
        self.windows = MemoryWindows()
        self.queues = MemoryQueues()
        self.lists = MemoryLists()
        self._members = count()

    def add(self, order_group: str, booking_time: datetime, *, booked_at: datetime | None = None) -> None:
        """A row of a member of its own, booked when it was ordered if nothing else is said."""
        row = a_reward(
            order_group=order_group, booking_time=booking_time, due=None, member_id=f"M{next(self._members)}"
        )
        due = TIMETABLE.due("reward", row, now=booked_at or booking_time - timedelta(days=7))
        self.ledger.rows[row.id] = replace(row, due=due)

    def run(self, at: datetime) -> list[str]:
        """The schedule's run at this time, and all the dispatchers it starts: the orders that were released."""
        plan(
            Run("reward", at), self.control, self.windows,
            now=at, period=HOUR, shards=TIMETABLE.shards, spread=timedelta(),
        )  # fmt: skip
        for window, _ in self.windows.take():
            self.dispatch(window)
        return self._released()

    def dispatch(self, window: ShardWindow) -> None:
        dispatch(
            window, MemoryDueIndex(self.ledger), self.queues, self.lists, self.windows,
            shut=(), out_of_time=lambda: False,
        )  # fmt: skip

    def sweep(self, at: datetime) -> list[str]:
        sweep(
            "reward", MemoryDueIndex(self.ledger), self.control, self.queues, self.lists,
            shut=(), now=at, grace=GRACE, limit=1_000, shards=TIMETABLE.shards, period=HOUR,
        )  # fmt: skip
        return self._released()

    def _released(self) -> list[str]:
        return [reward.order_group for reward in rewards_in(self.queues("grant_points_low").take(), self.lists)]


@pytest.fixture
def clockwork() -> Clockwork:
    return Clockwork()


def taipei(*when: int) -> datetime:
    return datetime(*when, tzinfo=TAIPEI)  # type: ignore[misc, arg-type]


def hourly(first: datetime, runs: int) -> Iterator[datetime]:
    return (first + number * HOUR for number in range(runs))


def test_the_rows_of_the_three_buckets_leave_at_one_minute_past_one_two_and_three(clockwork: Clockwork) -> None:
    bucket = {}
    for number in range(60):
        order = a_paid_order(order_group=f"TG{number}", ordered_at=taipei(2026, 11, 24, 15, 30))
        at = TIMETABLE.booking_time(Days(7), order, "28343")
        clockwork.add(order.id.order_group, at)
        bucket[order.id.order_group] = at.astimezone(TAIPEI).hour
    runs = {at.hour: clockwork.run(at) for at in hourly(taipei(2026, 12, 1, 0, 1), 5)}
    released = {order: hour for hour, orders in runs.items() for order in orders}
    assert released == {order: hour + 1 for order, hour in bucket.items()}
    assert set(bucket.values()) == {0, 1, 2}


@pytest.mark.parametrize("midnight", [taipei(2026, 12, 2), taipei(2027, 1, 1)], ids=["a day", "the year's end"])
def test_25_hourly_runs_over_a_day_of_whole_hour_rows_release_each_once(
    clockwork: Clockwork, midnight: datetime
) -> None:
    for hour in range(24):
        clockwork.add(f"TG{hour:02}", midnight + hour * HOUR)
    runs = [clockwork.run(at) for at in hourly(midnight + timedelta(minutes=1), 25)]
    assert runs == [[], *([f"TG{hour:02}"] for hour in range(24))]


def test_rows_to_the_second_around_the_whole_hour_belong_to_one_run_each(clockwork: Clockwork) -> None:
    eight = taipei(2026, 12, 2, 8)
    for name, at in (("before", eight - timedelta(microseconds=1)), ("at", eight), ("after", eight + HOUR / 2)):
        clockwork.add(name, at)
    assert clockwork.run(eight + timedelta(minutes=1)) == ["before"]
    assert sorted(clockwork.run(eight + HOUR + timedelta(minutes=1))) == ["after", "at"]
    assert clockwork.run(eight + 2 * HOUR + timedelta(minutes=1)) == []


def test_runs_that_were_missed_are_caught_up_by_the_next(clockwork: Clockwork) -> None:
    midnight = taipei(2026, 12, 2)
    for hour in range(24):
        clockwork.add(f"TG{hour:02}", midnight + hour * HOUR)
    runs = [at for at in hourly(midnight + timedelta(minutes=1), 25) if at.hour not in range(5, 11)]
    released = Counter(order for at in runs for order in clockwork.run(at))
    assert released == Counter({f"TG{hour:02}": 1 for hour in range(24)})


def test_a_run_that_is_repeated_on_purpose_releases_again_what_still_waits(clockwork: Clockwork) -> None:
    clockwork.add("TG1", taipei(2026, 12, 2, 1))
    first = clockwork.run(taipei(2026, 12, 2, 2, 1))
    assert clockwork.run(taipei(2026, 12, 2, 3, 1)) == []
    assert clockwork.run(taipei(2026, 12, 2, 2, 1)) == first == ["TG1"]
    assert clockwork.run(taipei(2026, 12, 2, 4, 1)) == []


def test_a_reward_booked_for_a_time_gone_by_leaves_with_the_hour_it_was_booked_in(clockwork: Clockwork) -> None:
    booked_at = taipei(2026, 12, 2, 5, 20)
    clockwork.run(taipei(2026, 12, 2, 5, 1))
    clockwork.add("TG1", taipei(2026, 11, 20, 1), booked_at=booked_at)
    assert clockwork.run(taipei(2026, 12, 2, 6, 1)) == ["TG1"]


def test_a_row_that_shows_up_after_its_window_was_planned_is_swept_within_a_period_a_grace_and_a_sweep(
    clockwork: Clockwork,
) -> None:
    booked_at = taipei(2026, 12, 2, 5, 59)
    clockwork.run(taipei(2026, 12, 2, 6, 1))
    clockwork.add("TG1", taipei(2026, 11, 20, 1), booked_at=booked_at)
    sweeps = [booked_at + timedelta(minutes=10) * number for number in range(12)]
    found = next(at for at in sweeps if clockwork.sweep(at))
    assert found - booked_at <= HOUR + GRACE + timedelta(minutes=10)


def test_a_run_whose_windows_were_all_lost_is_made_up_for_by_the_sweep(clockwork: Clockwork) -> None:
    clockwork.add("TG1", taipei(2026, 12, 2, 1, 15))
    at = taipei(2026, 12, 2, 2, 1)
    plan(Run("reward", at), clockwork.control, MemoryWindows(), now=at, period=HOUR, shards=4, spread=timedelta())
    assert clockwork.run(at + HOUR) == []
    assert clockwork.sweep(at + HOUR) == ["TG1"]
