"""The time."""

from datetime import UTC, datetime, timedelta

from bootstrap.settings import is_clock_moved


def now() -> datetime:
    """The time in UTC."""
    return real_time() + ahead()


def ahead() -> timedelta:
    """How far the steps' clock runs ahead of real time: on the embedded cloud, what its control item says just now."""
    if not is_clock_moved():
        return timedelta(0)
    from bootstrap.control import control

    return control().clock_offset()


def real_time() -> datetime:
    """The time by which others are waited for, also where the steps' clock runs ahead."""
    return datetime.now(UTC)
