"""Timers: unpaid orders that hold a place are looked at again within seconds of their deadline.

A timing wheel of two levels: the due index is the coarse one, and what has no more than a quarter of an hour left is
sent with its own delay, by whoever sees it: `occupy` where the deadline is that near, else the sweep. A timer that is
lost is sent by the next sweep; one that comes twice finds nothing left to do.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain

from rewards import due
from rewards.control import Control, oldest_date
from rewards.packing import DueIndex, FoundRow
from rewards.reward import Reward
from rewards.sweeping import LATE_ROWS, Swept
from rewards.tasks import ShardWindow, Task, Timer, TimerQueue, task_of
from rewards.windows import Window, begun, by_date

DELAY_MOST = timedelta(minutes=15)
"""As long as a queue can hide a message; what is due later waits in the index, and no message circles in laps."""

_SECOND = timedelta(seconds=1)


def start(rows: Iterable[Reward], timers: TimerQueue, now: datetime) -> None:
    """Send a timer for each of the rows whose payment is due that soon."""
    if soon := [timer for row in rows if row.unpaid_until and (timer := timer_of(row, now)).delay <= DELAY_MOST]:
        timers.send(soon)


def timer_of(row: Reward, now: datetime) -> Timer:
    assert row.unpaid_until  # noqa: S101 - only a row that waits for its payment has a timer
    return Timer(task_of(row), max(row.unpaid_until - now, timedelta()))


def sweep_timers(
    index: DueIndex, control: Control, timers: TimerQueue, *, now: datetime, shards: int, period: timedelta
) -> Swept:
    """Send a timer for each row whose payment is overdue, or due within a quarter of an hour.

    All of them at every run: a limit would make others late, and a busy queue is no reason to keep a place. A row whose
    key says nothing has no timer.
    """
    ahead = Window(datetime.combine(oldest_date("expire", control, now), time(), UTC), now + DELAY_MOST)
    oldest, sent = (now - LATE_ROWS).astimezone(UTC).date(), 0
    unreadable: list[str] = []
    for stretch in by_date("expire", ahead, period):
        for shard in range(shards):
            parts = index.parts(ShardWindow("expire", stretch.date, shard, stretch.start, stretch.end))
            found: list[Timer] = []
            for row in chain.from_iterable(parts):
                oldest = min(oldest, date.fromisoformat(stretch.date))
                try:
                    found.append(_timer_of(row, now))
                except ValueError:
                    unreadable.append(row.sort)
            if found:
                timers.send(found)
                sent += len(found)
    control.move_oldest("expire", oldest)
    return Swept("expire", sent, oldest, tuple(unreadable))


def _timer_of(found: FoundRow, now: datetime) -> Timer:
    """A slot is the deadline cut down to the second, so one second more is waited. Raises ValueError if it is none."""
    until = begun(due.parse(found.sort).slot) + _SECOND
    return Timer(Task((found.sort,)), max(until - now, timedelta()))
