from datetime import UTC, date, datetime, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.windows import Kind, Window, by_date, check_period, floor, recycle_window, reward_window, slot

HOUR = timedelta(hours=1)
TAIPEI = ZoneInfo("Asia/Taipei")

instants = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
periods = st.sampled_from([timedelta(minutes=minutes) for minutes in (1, 5, 15, 20, 60, 90, 120, 1440)])
kinds = st.sampled_from(get_args(Kind))


def taipei(*at: int) -> datetime:
    return datetime(*at, tzinfo=TAIPEI)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("kind", "text"),
    [("reward", "2026-11-30T16:00Z"), ("recycle", "2026-11-30T16:31Z"), ("expire", "2026-11-30T16:31:59Z")],
)
def test_a_slot_is_cut_down_to_what_its_kind_is_looked_for_by(kind: Kind, text: str) -> None:
    assert slot(kind, datetime(2026, 11, 30, 16, 31, 59, 999_999, tzinfo=UTC), HOUR) == text
    assert slot(kind, datetime(2026, 12, 1, 0, 31, 59, 999_999, tzinfo=TAIPEI), HOUR) == text


def test_a_shorter_dispatch_period_has_narrower_slots() -> None:
    assert slot("reward", datetime(2026, 11, 30, 16, 31, tzinfo=UTC), timedelta(minutes=20)) == "2026-11-30T16:20Z"


@given(kinds, instants, instants, periods)
def test_slots_sort_as_times_do(kind: Kind, one: datetime, other: datetime, period: timedelta) -> None:
    earlier, later = sorted([one, other])
    assert slot(kind, earlier, period) <= slot(kind, later, period)
    assert len(slot(kind, earlier, period)) == len(slot(kind, later, period))


@given(instants, instants, periods)
def test_a_key_lies_between_two_slots_exactly_when_its_time_lies_in_the_window(
    at: datetime, start: datetime, period: timedelta
) -> None:
    window = Window(floor(start, period), floor(start, period) + period)
    key = slot("reward", at, period) + "#1#M1"
    between = slot("reward", window.start, period) <= key <= slot("reward", window.end, period)
    assert between == (window.start <= at < window.end)


@pytest.mark.parametrize("hour", [0, 1, 2])
def test_rows_in_the_bucket_of_an_hour_leave_one_minute_past_the_next(hour: int) -> None:
    window = reward_window(taipei(2026, 12, 1, hour + 1, 1), None, HOUR)
    assert window.start == taipei(2026, 12, 1, hour)
    assert window.end == taipei(2026, 12, 1, hour + 1)


@given(instants, st.integers(1, 30), periods)
def test_a_row_belongs_to_the_window_of_one_run_only(start: datetime, runs: int, period: timedelta) -> None:
    first = floor(start, period)
    cursor = None
    windows = []
    for run in range(1, runs + 1):
        window = reward_window(first + run * period + period / 2, cursor, period)
        windows.append(window)
        cursor = window.end
    for row in (first + number * period for number in range(runs)):
        assert sum(window.start <= row < window.end for window in windows) == 1


def test_a_missed_run_is_caught_up_by_the_next() -> None:
    assert reward_window(taipei(2026, 12, 1, 4, 1), taipei(2026, 12, 1, 1), HOUR) == Window(
        taipei(2026, 12, 1, 1), taipei(2026, 12, 1, 4)
    )


@pytest.mark.parametrize("minute", [0, 1, 59])
def test_a_run_at_or_before_the_cursor_plans_its_window_once_more_and_nothing_after_it(minute: int) -> None:
    cursor = taipei(2026, 12, 1, 4)
    window = reward_window(taipei(2026, 12, 1, 2, minute), cursor, HOUR)
    assert window == Window(taipei(2026, 12, 1, 1), taipei(2026, 12, 1, 2))
    same = reward_window(taipei(2026, 12, 1, 4, minute), cursor, HOUR)
    assert same == Window(taipei(2026, 12, 1, 3), taipei(2026, 12, 1, 4))


def test_a_first_run_plans_one_period() -> None:
    window = reward_window(taipei(2026, 12, 1, 4, 1), None, HOUR)
    assert window == Window(taipei(2026, 12, 1, 3), taipei(2026, 12, 1, 4))


def test_recycles_of_the_runs_own_minute_are_in_its_window() -> None:
    window = recycle_window(taipei(2026, 12, 1, 10, 30), taipei(2026, 11, 30, 10, 31))
    assert window == Window(taipei(2026, 11, 30, 10, 31), taipei(2026, 12, 1, 10, 31))


def test_a_repeated_recycle_run_plans_its_day_once_more() -> None:
    cursor = taipei(2026, 12, 1, 10, 31)
    window = recycle_window(taipei(2026, 12, 1, 10, 30), cursor)
    assert window == Window(taipei(2026, 11, 30, 10, 31), cursor)


def test_the_hour_before_the_utc_date_changes_lies_in_the_date_before() -> None:
    window = reward_window(taipei(2026, 12, 1, 8, 1), None, HOUR)
    assert list(by_date("reward", window, HOUR)) == [("2026-11-30", "2026-11-30T23:00Z", "2026-12-01T00:00Z")]


def test_a_missed_night_is_asked_for_date_by_date_over_the_years_end() -> None:
    window = Window(taipei(2027, 1, 1, 6), taipei(2027, 1, 1, 10))
    assert list(by_date("reward", window, HOUR)) == [
        ("2026-12-31", "2026-12-31T22:00Z", "2027-01-01T00:00Z"),
        ("2027-01-01", "2027-01-01T00:00Z", "2027-01-01T02:00Z"),
    ]


@given(kinds, instants, st.timedeltas(timedelta(0), timedelta(days=5)), periods, instants)
def test_the_dates_of_a_window_hold_its_rows_once_each_and_no_other(
    kind: Kind, start: datetime, length: timedelta, period: timedelta, row: datetime
) -> None:
    window = Window(floor(start, period), floor(start + length, period))
    row = window.start + (row - window.start) % (length + 2 * period) - period
    at = slot(kind, row, period)
    found = [
        stretch
        for stretch in by_date(kind, window, period)
        if stretch.date == at[:10] and stretch.start <= at + "#1" <= stretch.end
    ]
    assert len(found) == (window.start <= row < window.end)


def test_an_empty_window_has_no_dates() -> None:
    assert list(by_date("reward", Window(taipei(2026, 12, 1), taipei(2026, 12, 1)), HOUR)) == []


@pytest.mark.parametrize("minutes", [1, 5, 15, 60, 90, 480, 1440])
def test_a_period_that_divides_the_day_will_do(minutes: int) -> None:
    check_period(timedelta(minutes=minutes))


@pytest.mark.parametrize("seconds", [0, -3600, 30, 90, 7 * 60, 7 * 3600, 86_400 * 2, 3600.5])
def test_a_period_that_does_not_divide_the_day_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="does not divide a day"):
        check_period(timedelta(seconds=seconds))


@given(instants, periods)
def test_a_period_begins_at_midnight_utc(at: datetime, period: timedelta) -> None:
    start = floor(at, period)
    assert start <= at < start + period
    assert (start - datetime.combine(at.date(), datetime.min.time(), UTC)) % period == timedelta(0)
    assert date.fromisoformat(slot("reward", at, period)[:10]) == at.date()
