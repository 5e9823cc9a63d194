"""Packing: rows of the due index become tasks of whole groups, and tasks go to the queue of their reward type.

Rows stream through: what is held at a time is a page of them and the ten tasks of a batch, however many rows there are.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Protocol

import msgspec
from msgspec import Struct

from rewards.due import group_of, is_sort_key, parse
from rewards.tasks import Group, Kind, ShardWindow, Task, TaskQueue

TASK_REWARDS = 25
BATCH_TASKS = 10  # as SQS takes them


class FoundRow(Struct, frozen=True, order=True, gc=False):
    """A row of the due index as it is read: its sort key and the one attribute that routes it."""

    sort: str
    reward_type: str


class DueIndex(Protocol):
    """Rows that wait for something, in the order they are to be worked in. Reads lag behind the rows a little."""

    def parts(self, window: ShardWindow) -> Iterator[Iterable[FoundRow]]:
        """Those of the window that come after its `after`, some hundred at a time, read when they are asked for."""


class Lists(Protocol):
    """Where a group too large for a message keeps its list."""

    def write(self, key: str, group: Group) -> None: ...


class Outlet(TaskQueue, Protocol):
    """A queue that many tasks go to: `send` may return while they are still on their way, `flush` may not.

    What could not be sent is raised by either.
    """

    def flush(self) -> None: ...


class Groups:
    """The rows of the due index, some hundred at a time, and never cut within a group: rows of one slot, member and
    promotion, which one worker is to work off in their order.

    A row whose key says nothing belongs to no group and is left where it stands: `unreadable` learns its key.
    """

    def __init__(self, parts: Iterable[Iterable[FoundRow]]) -> None:
        self.unreadable: list[str] = []
        self._parts = parts

    def __iter__(self) -> Iterator[list[FoundRow]]:
        held: list[FoundRow] = []
        for part in self._parts:
            rows = self._readable(list(part))
            if held and rows and group_of(rows[-1].sort) == group_of(held[0].sort):
                held += rows  # without looking at a large group's rows again
                continue
            rows = held + rows
            last = _start_of_last_group(rows)
            if last:
                yield rows[:last]
            held = rows[last:]
        if held:
            yield held

    def _readable(self, rows: list[FoundRow]) -> list[FoundRow]:
        readable = [row for row in rows if is_sort_key(row.sort)]
        if len(readable) < len(rows):
            self.unreadable += [row.sort for row in rows if not is_sort_key(row.sort)]
        return readable


def _start_of_last_group(rows: list[FoundRow]) -> int:
    start = len(rows)
    while start and group_of(rows[start - 1].sort) == group_of(rows[-1].sort):
        start -= 1
    return start


class Packer:
    """The tasks of one queue in the making: small groups share one, a large one has its list kept elsewhere."""

    def __init__(self, kind: Kind, outlet: Outlet, lists: Lists) -> None:
        self._kind = kind
        self._outlet = outlet
        self._lists = lists
        self._keys: list[str] = []
        self._tasks: list[Task] = []

    def add(self, keys: list[str]) -> None:
        """The sort keys of whole groups, in the order of the index."""
        self._keys += keys
        start = 0
        while len(self._keys) - start > TASK_REWARDS:
            end = _end_of_task(self._keys, start)
            self._append(self._keys[start:end])
            start = end
        del self._keys[:start]

    def flush(self) -> None:
        """Send all that was added; when this returns, none of it depends on this process."""
        if self._keys:
            self._append(self._keys)
            self._keys = []
        self._send()
        self._outlet.flush()

    def _append(self, keys: list[str]) -> None:
        self._tasks.append(Task(tuple(keys)) if len(keys) <= TASK_REWARDS else self._listed(keys))
        if len(self._tasks) == BATCH_TASKS:
            self._send()

    def _send(self) -> None:
        if self._tasks:
            self._outlet.send(self._tasks)
            self._tasks = []

    def _listed(self, keys: list[str]) -> Task:
        """The list is written before the task that names it.

        Its key follows from what it holds, so that a repeat writes the same list, and one that some worker is half
        way through never changes under it.
        """
        rows = [parse(key) for key in keys]
        group = Group(rows[0].shop_id, rows[0].member_id, rows[0].promotion_id, tuple(row.order_group for row in rows))
        digest = blake2b(msgspec.json.encode(group), digest_size=16).hexdigest()
        key = f"{self._kind}/{rows[0].slot}/{digest}.json"
        self._lists.write(key, group)
        return Task(list_key=key)


def _end_of_task(keys: list[str], start: int) -> int:
    """As far as whole groups of 25 rewards in all go; a group that has more goes alone."""
    end = start + TASK_REWARDS
    group = group_of(keys[end])
    while end > start and group_of(keys[end - 1]) == group:
        end -= 1
    if end == start:
        end += TASK_REWARDS
        while end < len(keys) and group_of(keys[end]) == group:
            end += 1
    return end


class Packers:
    """A packer for each reward type there is a queue for; `sent` and `left` count the rewards that had one or not."""

    def __init__(self, kind: Kind, outlets: Mapping[str, Outlet], lists: Lists) -> None:
        self.sent = self.left = 0
        self._packers = {reward_type: Packer(kind, outlet, lists) for reward_type, outlet in outlets.items()}

    def add(self, rows: Iterable[FoundRow]) -> None:
        """Rows of whole groups. They are left where they are, if there is no queue for their type, which a newer
        release may have written.
        """
        found: defaultdict[str, list[str]] = defaultdict(list)
        for row in rows:
            found[row.reward_type].append(row.sort)
        for reward_type, keys in found.items():
            if packer := self._packers.get(reward_type):
                packer.add(keys)
                self.sent += len(keys)
            else:
                self.left += len(keys)

    def flush(self) -> None:
        for packer in self._packers.values():
            packer.flush()
