"""Sweeping: whatever stands in a past slot of the due index is overdue, and is sent once more.

This is the safety net under every message and every run, so it must hold when nothing else does: it never adds to a
backlog, what is stuck in one place never keeps it from the rest, and a provider whose breaker is open is sent just
enough to find out when it is back.
"""

from collections.abc import Callable, Container, Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, islice
from typing import Protocol

from msgspec import Struct

from rewards.control import Control, oldest_date
from rewards.due import is_sort_key
from rewards.packing import DueIndex, FoundRow, Lists, Outlet, Packers
from rewards.routing import queues_of
from rewards.tasks import Kind, Queue, ShardWindow, Task
from rewards.windows import Window, begun, by_date, length

BUSY_MESSAGES = 30
"""A queue that holds as many is not sent to: they may be the very rewards that are overdue.

Fewer hold less than a tenth of what a run sends, so in the mean no reward is in more than 1.1 messages.
"""

LATE_ROWS = timedelta(hours=1)
"""How long after a date has ended a row may still show up in it: its writer was slow, or the index is."""

PROBES = 10
PROBING = timedelta(minutes=10)
"""A provider whose breaker is open is sent so many messages over the time until the next sweep."""


class MeasuredQueue(Outlet, Protocol):
    """A queue that knows about how many messages it holds: waiting, delayed and being worked on."""

    def depth(self) -> int: ...

    def send_over(self, span: timedelta, tasks: list[Task]) -> None:
        """Send the first task at once and the others evenly over the span, which is 15 minutes at most."""


class Swept(Struct, frozen=True):
    """So many overdue rewards were sent; nothing older than `oldest` waits any more.

    Rows whose keys, the `unreadable`, say nothing stay in the index.
    The slot of the one that has waited longest, sent or not, ended `waited` ago.
    """

    kind: Kind
    rewards: int
    oldest: date
    unreadable: tuple[str, ...] = ()
    waited: timedelta = timedelta()


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
    shut: Container[str],
    now: datetime,
    grace: timedelta,
    limit: int,
    shards: int,
    period: timedelta,
) -> Swept | StoodBack:
    """Send what fell due in slots that ended more than `grace` ago, oldest first, `limit` rewards at most.

    Of the reward types that are `shut`, since their provider's breaker is open, only some are sent, as probes.
    """
    ready = {of: queue for of, queue in queues_of(kind, queues).items() if queue.depth() < BUSY_MESSAGES}
    if not ready:
        return StoodBack(kind)
    until = now - grace
    overdue = Overdue(kind, index, Window(_midnight(oldest_date(kind, control, now)), until), shards, period)
    working = {of: queue for of, queue in ready.items() if of not in shut}
    packers = Packers(kind, working, lists)
    if working:
        packers.add(overdue.rows(working, limit))
    packers.flush()
    sent = packers.sent
    for of in ready.keys() - working:
        sent += _send_probes([*overdue.rows([of], limit)], ready[of])
    oldest = min([(until - LATE_ROWS).astimezone(UTC).date(), *map(date.fromisoformat, overdue.dates)])
    control.move_oldest(kind, oldest)
    return Swept(kind, sent, oldest, tuple(sorted(overdue.unreadable)), waited=overdue.waited(now))


class Overdue:
    """What is overdue in every shard; `dates` and `first` learn where rows of any type stand.

    A row whose key says nothing stays where it is, counts for no limit and is no probe: `unreadable` learns its key.
    """

    def __init__(self, kind: Kind, index: DueIndex, window: Window, shards: int, period: timedelta) -> None:
        self.dates: set[str] = set()
        self.first: str | None = None
        self.unreadable: set[str] = set()
        self._kind = kind
        self._index = index
        self._stretches = list(by_date(kind, window, period))
        self._shards = shards
        self._slot_length = length(kind, period)

    def waited(self, now: datetime) -> timedelta:
        """How long ago the slot of the first row ended: each shard is read from its oldest row on."""
        if self.first is None:
            return timedelta()
        try:
            since = begun(self.first.partition("#")[0])
        except ValueError:  # a slot nobody can read; its date is the partition's
            since = _midnight(date.fromisoformat(min(self.dates)))
        return now - since - self._slot_length

    def rows(self, types: Container[str], limit: int) -> Iterator[FoundRow]:
        """So many rows of these reward types at most, shard by shard and in each the oldest first.

        The limit is shared out among the shards: were it one, a shard full of rewards that fail again and again would
        keep the others waiting for ever.
        """
        left = limit
        for shard in range(self._shards):
            share = max(1, left // (self._shards - shard))  # with none its dates would pass for empty
            for row in islice(self._in_shard(shard, types), share):
                left -= 1
                yield row

    def _in_shard(self, shard: int, types: Container[str]) -> Iterator[FoundRow]:
        for stretch in self._stretches:
            window = ShardWindow(self._kind, stretch.date, shard, stretch.start, stretch.end)
            for row in chain.from_iterable(self._index.parts(window)):
                self.dates.add(stretch.date)
                self.first = min(self.first or row.sort, row.sort)
                if not is_sort_key(row.sort):
                    self.unreadable.add(row.sort)
                elif row.reward_type in types:
                    yield row


def _send_probes(rows: list[FoundRow], queue: MeasuredQueue) -> int:
    """One reward to a message, taken from all over the rows: the oldest may be those that fail by themselves."""
    chosen = [rows[len(rows) * place // PROBES] for place in range(PROBES)] if len(rows) > PROBES else rows
    tasks = [Task((row.sort,)) for row in chosen]
    if tasks:
        queue.send_over(PROBING, tasks)
    return len(tasks)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
