"""Slots and windows: when what is due is looked for.

A slot is an instant in UTC cut down to what its kind is looked for by, as text of one width, so that slots sort as
times do. A due key begins with its slot and goes on after it, hence it is greater than its own slot and smaller than
the next one: `BETWEEN slot(start) AND slot(end)` is the half-open window [start, end) by construction.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, NamedTuple

Kind = Literal["reward", "recycle", "expire"]
"""What a row waits for: to be granted, to be taken back, to be cancelled unless it is paid."""

_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_SECOND = timedelta(seconds=1)


class Window(NamedTuple):
    """The instants from `start` on, up to and without `end`, in UTC."""

    start: datetime
    end: datetime


class Stretch(NamedTuple):
    """The part of a window that lies in one UTC date: the slots from `start` up to and without `end`."""

    date: str
    start: str
    end: str


def slot(kind: Kind, at: datetime, period: timedelta) -> str:
    """The slot that `at` falls into; `period` is that of the dispatch and matters to rewards only."""
    return _text(floor(at, length(kind, period)), "seconds" if kind == "expire" else "minutes")


def begun(slot: str) -> datetime:
    """When a slot begins. Raises ValueError for what is none."""
    at = datetime.fromisoformat(slot)
    if at.utcoffset() != timedelta():
        raise ValueError(f"{slot} is no slot: it is not in UTC")
    return at


def length(kind: Kind, period: timedelta) -> timedelta:
    """How long a slot lasts."""
    match kind:
        case "reward":
            return period
        case "recycle":
            return _MINUTE
        case "expire":
            return _SECOND


def floor(at: datetime, period: timedelta) -> datetime:
    """`at` in UTC, cut down to a whole period since midnight."""
    at = at.astimezone(UTC)
    return at - (at - _midnight(at.date())) % period


def reward_window(at: datetime, cursor: datetime | None, period: timedelta) -> Window:
    """What the run at `at` releases: all since the cursor, and the one period before `at` where there is none.

    A run the cursor has already passed plans its own period once more, for whoever repeats it on purpose.
    """
    end = floor(at, period)
    if cursor is None or cursor >= end:
        return Window(end - period, end)
    return Window(cursor, end)


def recycle_window(at: datetime, cursor: datetime) -> Window:
    """What the run at `at` takes back: all since the cursor, its own minute included.

    Without an earlier run the cursor is the oldest date that may hold something. A run the cursor has already passed
    plans its own day once more.
    """
    end = floor(at, _MINUTE) + _MINUTE
    return Window(end - _DAY if cursor >= end else cursor, end)


def by_date(kind: Kind, window: Window, period: timedelta) -> Iterator[Stretch]:
    """The window, date by date: a date is a partition of the due index, and Taipei's morning lies in the one before."""
    start = window.start
    while start < window.end:
        day = start.astimezone(UTC).date()
        end = min(_midnight(day + _DAY), window.end)
        yield Stretch(day.isoformat(), slot(kind, start, period), slot(kind, end, period))
        start = end


def check_period(period: timedelta) -> None:
    """A dispatch period must divide the day into whole minutes: ValueError for one that does not."""
    if period < _MINUTE or _DAY % period or period % _MINUTE:
        raise ValueError(f"a dispatch period of {period} does not divide a day into whole minutes")


def _text(at: datetime, to: str) -> str:
    return at.replace(tzinfo=None).isoformat(timespec=to) + "Z"


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
