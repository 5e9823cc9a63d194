"""Retry-After in both its forms, and in none."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters.retry_after import retry_after

NOW = datetime(2026, 11, 10, 4, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("0", timedelta()),
        ("120", timedelta(minutes=2)),
        ("Tue, 10 Nov 2026 04:01:30 GMT", timedelta(seconds=90)),
        ("Tuesday, 10-Nov-26 04:01:30 GMT", timedelta(seconds=90)),
        ("Tue, 10 Nov 2026 03:00:00 GMT", timedelta()),
    ],
)
def test_seconds_and_dates_say_how_long_to_wait(header: str, wait: timedelta) -> None:
    assert retry_after(header, NOW) == wait


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "soon",
        "-5",
        "1.5",
        "1_0",
        "１２",
        "9" * 5000,
        "9" * 15,
        "Tue, 99 Nov 2026 04:01:30 GMT",
        "Tue, 10 Nov",
    ],
)
def test_what_makes_no_sense_says_nothing(header: str | None) -> None:
    assert retry_after(header, NOW) is None
