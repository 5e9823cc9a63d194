"""The time."""

from datetime import UTC, datetime

from bootstrap.settings import is_clock_moved


def now() -> datetime:
    """The time in UTC. The embedded cloud's clock runs ahead by what its control item says at this moment."""
    if is_clock_moved():
        from bootstrap.control import control

        return real_time() + control().clock_offset()
    return real_time()


def real_time() -> datetime:
    """The time by which others are waited for, also where the steps' clock runs ahead."""
    return datetime.now(UTC)
