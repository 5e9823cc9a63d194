"""Sweeping: whatever stands in a past slot of the due index is overdue, and is sent once more.

This is the safety net under every message and every run, so it must hold when nothing else does: it never adds to a
backlog, and what is stuck in one place never keeps it from the rest.
"""

from collections.abc import Callable, Container, Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Protocol

from msgspec import Struct

from rewards.control import Control, oldest_date
from rewards.packing import DueIndex, FoundRow, Lists, Packers, groups
from rewards.routing import queues_of
from rewards.tasks import Kind, Queue, ShardWindow, TaskQueue
from rewards.windows import Stretch, Window, by_date

BUSY_MESSAGES = 100
"""A queue that holds as many is not sent to: they may be the very rewards that are overdue."""

LATE_ROWS = timedelta(hours=1)
"""How long after a date has ended a row may still show up in it: its writer was slow, or the index is."""


class MeasuredQueue(TaskQueue, Protocol):
    """A queue that knows about how many messages it holds: waiting, delayed and being worked on."""

    def depth(self) -> int: ...


class Swept(Struct, frozen=True):
    """So many overdue rewards were sent; nothing older than `oldest` waits any more."""

    kind: Kind
    rewards: int
    oldest: date


class StoodBack(Struct, frozen=True):
    """Every queue for this kind is busy."""

    kind: Kind


def sweep(
    kind: Kind,
    index: DueIndex,
    control: Control,
    queues: Callable[[Queue], MeasuredQueue],
    lists: Lists,
    *,
    now: datetime,
    grace: timedelta,
    limit: int,
    shards: int,
    period: timedelta,
) -> Swept | StoodBack:
    """Send what fell due in slots that ended more than `grace` ago, oldest first, `limit` rewards at most.

    The limit is shared out among the shards: were it one, a shard full of rewards that fail again and again would keep
    the others waiting for ever.
    """
    ready = {of: queue for of, queue in queues_of(kind, queues).items() if queue.depth() < BUSY_MESSAGES}
    if not ready:
        return StoodBack(kind)
    overdue = Window(_midnight(oldest_date(kind, control, now)), now - grace)
    stretches = list(by_date(kind, overdue, period))
    packers, dates, sent = Packers(kind, ready, lists), set[str](), 0
    for shard in range(shards):
        share = max(1, (limit - sent) // (shards - shard))  # with none its dates would pass for empty
        rows = _overdue_rows(kind, shard, stretches, index, ready, dates)
        for found in groups(islice(rows, share)):
            packers.add(found)
            sent += len(found.group.orders)
    packers.flush()
    oldest = min([(overdue.end - LATE_ROWS).astimezone(UTC).date(), *map(date.fromisoformat, dates)])
    control.move_oldest(kind, oldest)
    return Swept(kind, sent, oldest)


def _overdue_rows(
    kind: Kind, shard: int, stretches: list[Stretch], index: DueIndex, sendable: Container[str], dates: set[str]
) -> Iterator[FoundRow]:
    """A shard's overdue rows of the `sendable` reward types; `dates` learns where rows of any type stand."""
    for stretch in stretches:
        for row in index.rows(ShardWindow(kind, stretch.date, shard, stretch.start, stretch.end)):
            dates.add(stretch.date)
            if row.reward_type in sendable:
                yield row


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
