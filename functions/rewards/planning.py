"""Planning: which windows are due, as one message per shard and UTC date.

A cursor per kind marks the end of the last planned window, so that a missed run is caught up by the next. Windows are
sent first and the cursor moved after: a planner that dies between the two sends twice, and the claim pays once.
"""

from datetime import UTC, datetime, time, timedelta

from msgspec import Struct

from rewards.control import Control, oldest_date
from rewards.errors import Invalid
from rewards.tasks import Delayed, Kind, ShardWindow, WindowQueue
from rewards.windows import Window, by_date, recycle_window, reward_window

CLOCKS_APART = timedelta(minutes=1)


class Planned(Struct, frozen=True):
    """The window [start, end) is on its way to the dispatchers, in so many messages."""

    kind: Kind
    start: datetime
    end: datetime
    messages: int


def plan(
    kind: Kind,
    execute_time: datetime,
    control: Control,
    dispatchers: WindowQueue,
    *,
    now: datetime,
    period: timedelta,
    shards: int,
    spread: timedelta,
) -> Planned:
    """Send what is due by `execute_time`, the schedule's own time, spread over `spread` so that no crowd starts as one.

    A time the cursor has passed already plans its window once more, for whoever repeats it on purpose. Raises `Invalid`
    for a time to come: what is booked until then would fall behind the cursor.
    """
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
