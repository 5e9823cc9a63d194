from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rewards.errors import Invalid
from rewards.times import instant


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-12-01T00:00:00+08:00", datetime(2026, 11, 30, 16, tzinfo=UTC)),
        ("2026-11-30T16:00:00Z", datetime(2026, 11, 30, 16, tzinfo=UTC)),
        ("2026-11-30t16:00:00z", datetime(2026, 11, 30, 16, tzinfo=UTC)),
        ("2026-11-30T10:30:00.5-05:30", datetime(2026, 11, 30, 16, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-11-30T16:00:00-00:00", datetime(2026, 11, 30, 16, tzinfo=UTC)),
        ("2026-11-30T16:00:00.1234567Z", datetime(2026, 11, 30, 16, 0, 0, 123_456, tzinfo=UTC)),
        ("9999-12-31T23:59:59.9999999+08:00", datetime(9999, 12, 31, 15, 59, 59, 999_999, tzinfo=UTC)),
        ("2028-02-29T00:00:00Z", datetime(2028, 2, 29, tzinfo=UTC)),
    ],
)
def test_a_time_with_an_offset_is_kept_in_utc(text: str, utc: datetime) -> None:
    at = instant(text, "occurred_at")
    assert at == utc
    assert at.tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    [
        None, 1764518400, True, "",
        "2026-11-30T16:00:00", "2026-11-30 16:00:00+08:00", "2026-11-30", "2026-11-30T16:00+08:00",
        "2026-11-30T16:00:00+8:00", "2026-11-30T16:00:00+0800", "2026-11-30T16:00:00+08", "2026-11-30T16:00:00 +08:00",
        "20261130T160000Z", "2026-W48-1T16:00:00Z", "2026-11-30T16:00:00,5Z", "2026-11-30T16:00:00.Z",
        "2026-11-30T24:00:00Z", "2026-11-30T16:60:00Z", "2026-11-30T16:00:60Z", "2026-11-30T16:00:00+24:00",
        "2026-11-30T16:00:00+08:60", "２026-11-30T16:00:00Z", "2026-11-30T16:00:00Z\n", "45991", "30/11/2026",
    ],
)  # fmt: skip
def test_a_time_without_an_offset_or_in_another_form_is_refused(value: object) -> None:
    with pytest.raises(Invalid, match=r"^occurred_at: .* is not a time with an offset"):
        instant(value, "occurred_at")


@pytest.mark.parametrize(
    "text",
    ["2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+08:00",
     "9999-12-31T23:59:59-01:00", "2027-02-29T00:00:00Z"],
)  # fmt: skip
def test_a_day_that_is_in_no_calendar_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="is not in the calendar"):
        instant(text, "occurred_at")


offsets = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(timezones=offsets))
def test_every_time_with_an_offset_of_whole_minutes_is_read_as_it_was_written(at: datetime) -> None:
    assume(1 < at.year < 9999)
    assert instant(at.isoformat(), "at") == at
