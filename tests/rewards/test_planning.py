"""Planning: windows from the cursor on, sent before the cursor moves."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from rewards.errors import Invalid
from rewards.planning import UNFILLED, Planned, Run, parse_run, plan
from rewards.tasks import Delayed, Kind, ShardWindow
from tests.fakes.control import MemoryControl
from tests.fakes.queues import MemoryWindows

TAIPEI = ZoneInfo("Asia/Taipei")
HOUR = timedelta(hours=1)


def taipei(*when: int) -> datetime:
    return datetime(*when, tzinfo=TAIPEI)  # type: ignore[misc, arg-type]


def planned(
    at: datetime,
    control: MemoryControl,
    queue: MemoryWindows,
    *,
    kind: Kind = "reward",
    shards: int = 2,
    spread: timedelta = timedelta(),
) -> Planned:
    return plan(Run(kind, at), control, queue, now=at, period=HOUR, shards=shards, spread=spread)


def stretches(sent: list[Delayed]) -> list[tuple[str, str]]:
    """The slots of the first shard's windows."""
    return [(each.window.start, each.window.end) for each in sent if each.window.shard == 0]


def test_the_first_run_plans_the_hour_before_it_in_every_shard() -> None:
    control, queue = MemoryControl(), MemoryWindows()
    outcome = planned(taipei(2026, 12, 2, 1, 1), control, queue)
    assert [each.window for each in queue.take()] == [
        ShardWindow("reward", "2026-12-01", 0, "2026-12-01T16:00Z", "2026-12-01T17:00Z"),
        ShardWindow("reward", "2026-12-01", 1, "2026-12-01T16:00Z", "2026-12-01T17:00Z"),
    ]
    assert outcome == Planned("reward", taipei(2026, 12, 2, 0), taipei(2026, 12, 2, 1), 2)
    assert control.cursor("reward") == taipei(2026, 12, 2, 1)


def test_a_late_run_plans_by_its_own_time_and_not_by_the_clock() -> None:
    queue = MemoryWindows()
    run = Run("reward", taipei(2026, 12, 2, 1, 1))
    plan(run, MemoryControl(), queue, now=taipei(2026, 12, 2, 3, 30), period=HOUR, shards=1, spread=timedelta())
    assert stretches(queue.take()) == [("2026-12-01T16:00Z", "2026-12-01T17:00Z")]


def test_missed_runs_are_caught_up_by_the_next_with_one_message_per_shard_and_date() -> None:
    control, queue = MemoryControl(), MemoryWindows()
    control.move_cursor("reward", taipei(2026, 12, 1, 6))
    planned(taipei(2026, 12, 2, 10, 1), control, queue)
    assert stretches(queue.take()) == [
        ("2026-11-30T22:00Z", "2026-12-01T00:00Z"),
        ("2026-12-01T00:00Z", "2026-12-02T00:00Z"),
        ("2026-12-02T00:00Z", "2026-12-02T02:00Z"),
    ]


def test_the_hour_before_eight_in_taipei_lies_in_the_date_before() -> None:
    queue = MemoryWindows()
    planned(taipei(2026, 12, 2, 8, 1), MemoryControl(), queue)
    (window, _), _ = queue.take()
    assert (window.date, window.start, window.end) == ("2026-12-01", "2026-12-01T23:00Z", "2026-12-02T00:00Z")


def test_a_window_over_the_years_end_is_cut_at_midnight_utc() -> None:
    control, queue = MemoryControl(), MemoryWindows()
    control.move_cursor("reward", datetime(2026, 12, 31, 23, tzinfo=UTC))
    planned(datetime(2027, 1, 1, 1, 1, tzinfo=UTC), control, queue)
    assert stretches(queue.take()) == [
        ("2026-12-31T23:00Z", "2027-01-01T00:00Z"),
        ("2027-01-01T00:00Z", "2027-01-01T01:00Z"),
    ]


def test_a_time_the_cursor_has_passed_plans_its_window_again_and_leaves_the_cursor() -> None:
    control, queue = MemoryControl(), MemoryWindows()
    control.move_cursor("reward", taipei(2026, 12, 2, 5))
    planned(taipei(2026, 12, 2, 1, 1), control, queue)
    assert stretches(queue.take()) == [("2026-12-01T16:00Z", "2026-12-01T17:00Z")]
    assert control.cursor("reward") == taipei(2026, 12, 2, 5)


def test_a_planner_that_cannot_send_leaves_the_cursor_so_that_the_next_run_sends() -> None:
    class Broken(MemoryWindows):
        def send(self, *_: object) -> None:
            raise ConnectionError

    control = MemoryControl()
    control.move_cursor("reward", taipei(2026, 12, 2, 0))
    with pytest.raises(ConnectionError):
        planned(taipei(2026, 12, 2, 1, 1), control, Broken())
    assert control.cursor("reward") == taipei(2026, 12, 2, 0)


def test_a_planner_that_dies_before_it_moves_the_cursor_sends_again() -> None:
    class Dying(MemoryControl):
        def move_cursor(self, *_: object) -> None:
            raise ConnectionError

    queue = MemoryWindows()
    with pytest.raises(ConnectionError):
        planned(taipei(2026, 12, 2, 1, 1), Dying(), queue)
    first = queue.take()
    planned(taipei(2026, 12, 2, 1, 1), MemoryControl(), queue)
    assert queue.take() == first


def test_dispatchers_start_spread_over_the_time_given_for_it() -> None:
    queue = MemoryWindows()
    planned(taipei(2026, 12, 2, 1, 1), MemoryControl(), queue, shards=16, spread=timedelta(minutes=1))
    delays = [each.delay for each in queue.take()]
    assert delays[:3] == [timedelta(), timedelta(seconds=3.75), timedelta(seconds=7.5)]
    assert delays[-1] < timedelta(minutes=1)


def test_recycles_are_planned_from_the_cursor_through_their_own_minute() -> None:
    control, queue = MemoryControl(), MemoryWindows()
    control.move_cursor("recycle", taipei(2026, 12, 1, 10, 31))
    planned(taipei(2026, 12, 2, 10, 30), control, queue, kind="recycle")
    assert stretches(queue.take()) == [
        ("2026-12-01T02:31Z", "2026-12-02T00:00Z"),
        ("2026-12-02T00:00Z", "2026-12-02T02:31Z"),
    ]
    assert control.cursor("recycle") == taipei(2026, 12, 2, 10, 31)
    assert control.cursor("reward") is None


def test_recycles_without_a_cursor_are_planned_from_the_oldest_date_not_yet_found_empty() -> None:
    control, queue = MemoryControl(), MemoryWindows()
    control.move_oldest("recycle", date(2026, 12, 1))
    planned(taipei(2026, 12, 2, 10, 30), control, queue, kind="recycle")
    assert [start for start, _ in stretches(queue.take())] == ["2026-12-01T00:00Z", "2026-12-02T00:00Z"]


def test_a_time_to_come_is_refused_since_what_is_booked_until_then_would_fall_behind_the_cursor() -> None:
    control = MemoryControl()
    run = Run("reward", taipei(2026, 12, 2, 1, 1))
    with pytest.raises(Invalid, match="has not come"):
        plan(
            run, control, MemoryWindows(), now=taipei(2026, 12, 2, 0, 59), period=HOUR, shards=1, spread=timedelta()
        )  # fmt: skip
    assert control.cursor("reward") is None


def test_a_run_is_read_from_the_schedules_event() -> None:
    event = {"kind": "reward", "execute_time": "2026-12-01T17:01:00Z"}
    assert parse_run(event, taipei(2026, 12, 2, 1, 5)) == Run("reward", taipei(2026, 12, 2, 1, 1))


def test_a_time_that_was_not_filled_in_is_now_cut_to_the_minute() -> None:
    now = datetime(2026, 12, 1, 17, 1, 42, 7, tzinfo=UTC)
    assert parse_run({"kind": "recycle", "execute_time": UNFILLED}, now).execute_time == now.replace(
        second=0, microsecond=0
    )


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "expire", "execute_time": "2026-12-01T17:01:00Z"},
        {"kind": "reward", "execute_time": "2026-12-01T17:01:00"},
        {"kind": "reward"},
        {},
        [],
    ],
)
def test_an_event_that_does_not_say_what_to_plan_is_refused(event: object) -> None:
    with pytest.raises(Invalid):
        parse_run(event, taipei(2026, 12, 2, 1, 1))
