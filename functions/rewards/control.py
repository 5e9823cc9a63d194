"""How far the planner and the sweep have come: the port to what they remember between runs."""

from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from rewards.tasks import Kind

FIRST_LOOK_BACK = timedelta(days=31)
"""Where a sweep begins that never ran before: rows may have been waiting since the stack was made."""


class Control(Protocol):
    """The cursor of a kind is the end of its last planned window; its oldest date is the first that may hold work.

    Both only move forward: a value at or before the stored one changes nothing.
    """

    def cursor(self, kind: Kind) -> datetime | None: ...

    def move_cursor(self, kind: Kind, to: datetime) -> None: ...

    def oldest(self, kind: Kind) -> date | None: ...

    def move_oldest(self, kind: Kind, to: date) -> None: ...


def oldest_date(kind: Kind, control: Control, at: datetime) -> date:
    """The oldest UTC date not yet found empty, as far as is known `at` this time."""
    return control.oldest(kind) or (at - FIRST_LOOK_BACK).astimezone(UTC).date()
