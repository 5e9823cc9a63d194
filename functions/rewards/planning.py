"""Planning: which windows are due, as one message per shard and UTC date.

A cursor per kind marks the end of the last planned window, so that a missed run is caught up by the next. Windows are
sent first and the cursor moved after: a planner that dies between the two sends twice, and the claim pays once.
"""

from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from msgspec import Struct

from rewards.control import Control, oldest_date
from rewards.errors import Invalid
from rewards.fields import Fields
from rewards.tasks import KINDS, Delayed, Kind, ShardWindow, WindowQueue
from rewards.windows import Window, by_date, floor, recycle_window, reward_window

CLOCKS_APART = timedelta(minutes=1)
UNFILLED = "<aws.scheduler.scheduled-time>"
"""What the Scheduler of the embedded cloud leaves where that of AWS writes the time."""


class Run(NamedTuple):
    """A run of the planner: what it plans, and the time it was meant to run at."""

    kind: Kind
    execute_time: datetime


class Planned(Struct, frozen=True):
    """The window [start, end) is on its way to the dispatchers, in so many messages."""

    kind: Kind
    start: datetime
    end: datetime
    messages: int


def parse_run(event: object, now: datetime) -> Run:
    """The run in a schedule's event, like `{"kind": "reward", "execute_time": "2026-12-01T17:01:00Z"}`.

    A time that was not filled in is `now`, cut to the minute. Raises `Invalid`.
    """
    fields = Fields(event)
    kind = fields.choice("kind", KINDS)
    if fields.value("execute_time") == UNFILLED:
        return Run(kind, floor(now, timedelta(minutes=1)))
    return Run(kind, fields.instant("execute_time"))


def plan(
    run: Run,
    control: Control,
    dispatchers: WindowQueue,
    *,
    now: datetime,
    period: timedelta,
    shards: int,
    spread: timedelta,
) -> Planned:
    """Send what is due by the run's own time, spread over `spread` so that no crowd starts as one.

    A time the cursor has passed already plans its window once more, for whoever repeats it on purpose. Raises `Invalid`
    for a time to come: what is booked until then would fall behind the cursor.
    """
    kind, execute_time = run
    if execute_time > now + CLOCKS_APART:
        raise Invalid("execute_time", f"{execute_time.isoformat()} has not come; it is {now.isoformat()}")
    window = _window(kind, execute_time, control, period)
    parts = [
        ShardWindow(kind, stretch.date, shard, stretch.start, stretch.end)
        for stretch in by_date(kind, window, period)
        for shard in range(shards)
    ]
    dispatchers.send([Delayed(part, spread * place / len(parts)) for place, part in enumerate(parts)])
    control.move_cursor(kind, window.end)
    return Planned(kind, window.start, window.end, len(parts))


def _window(kind: Kind, execute_time: datetime, control: Control, period: timedelta) -> Window:
    cursor = control.cursor(kind)
    if kind == "reward":
        return reward_window(execute_time, cursor, period)
    first = datetime.combine(oldest_date(kind, control, execute_time), time(), UTC)
    return recycle_window(execute_time, cursor or first)
