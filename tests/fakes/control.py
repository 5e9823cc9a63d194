"""What the planner and the sweep remember, in memory."""

from datetime import date, datetime

from rewards.tasks import Kind


class MemoryControl:
    def __init__(self) -> None:
        self.cursors: dict[Kind, datetime] = {}
        self.oldest_dates: dict[Kind, date] = {}

    def cursor(self, kind: Kind) -> datetime | None:
        return self.cursors.get(kind)

    def move_cursor(self, kind: Kind, to: datetime) -> None:
        self.cursors[kind] = max(self.cursors.get(kind, to), to)

    def oldest(self, kind: Kind) -> date | None:
        return self.oldest_dates.get(kind)

    def move_oldest(self, kind: Kind, to: date) -> None:
        self.oldest_dates[kind] = max(self.oldest_dates.get(kind, to), to)
