"""Packing: rows of the due index become groups, groups become tasks, tasks go to the queue of their reward type.

Rows stream through: what is held at a time is one group and the ten tasks of a batch, however many rows there are.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple, Protocol

import msgspec

from rewards import due
from rewards.tasks import Group, Kind, ShardWindow, Task, TaskQueue

TASK_REWARDS = 25
BATCH_TASKS = 10  # as SQS takes them


class FoundRow(NamedTuple):
    """A row of the due index as it is read: its sort key and the one attribute that routes it."""

    sort: str
    reward_type: str


class DueIndex(Protocol):
    """Rows that wait for something, in the order they are to be worked in. Reads lag behind the rows a little."""

    def rows(self, window: ShardWindow) -> Iterator[FoundRow]:
        """Those of the window that come after its `after`, read page by page as they are asked for."""


class Lists(Protocol):
    """Where a group too large for a message keeps its list."""

    def write(self, key: str, group: Group) -> None: ...


class FoundGroup(NamedTuple):
    """Rows of one slot, member and promotion, in the order of their orders' times; `last` is the last one's key."""

    slot: str
    reward_type: str
    group: Group
    last: str


def groups(rows: Iterable[FoundRow]) -> Iterator[FoundGroup]:
    """The groups of rows that come in the order of the due index."""
    for (_, reward_type), found in groupby(rows, key=lambda row: (due.group(row.sort), row.reward_type)):
        keys = [row.sort for row in found]
        first = due.parse(keys[0])
        orders = tuple(due.parse(key).order_group for key in keys)
        yield FoundGroup(
            first.slot, reward_type, Group(first.shop_id, first.member_id, first.promotion_id, orders), keys[-1]
        )


class Packer:
    """The tasks of one queue in the making: small groups share one, a large one has its list kept elsewhere."""

    def __init__(self, kind: Kind, queue: TaskQueue, lists: Lists) -> None:
        self._kind = kind
        self._queue = queue
        self._lists = lists
        self._groups: list[Group] = []
        self._tasks: list[Task] = []

    def add(self, found: FoundGroup) -> None:
        if len(found.group.orders) > TASK_REWARDS:
            self._append(self._listed(found))
            return
        if sum(len(group.orders) for group in self._groups) + len(found.group.orders) > TASK_REWARDS:
            self._close_task()
        self._groups.append(found.group)

    def flush(self) -> None:
        """Send all that was added; when this returns, none of it depends on this process."""
        self._close_task()
        self._send()

    def _listed(self, found: FoundGroup) -> Task:
        """The list is written before the task that names it.

        Its key follows from what it holds, so that a repeat writes the same list, and one that some worker is half
        way through never changes under it.
        """
        digest = blake2b(msgspec.json.encode(found.group), digest_size=16).hexdigest()
        key = f"{self._kind}/{found.slot}/{digest}.json"
        self._lists.write(key, found.group)
        return Task(list_key=key)

    def _close_task(self) -> None:
        if self._groups:
            self._append(Task(tuple(self._groups)))
            self._groups = []

    def _append(self, task: Task) -> None:
        self._tasks.append(task)
        if len(self._tasks) == BATCH_TASKS:
            self._send()

    def _send(self) -> None:
        if self._tasks:
            self._queue.send(self._tasks)
            self._tasks = []


class Packers:
    """A packer for each reward type there is a queue for."""

    def __init__(self, kind: Kind, queues: Mapping[str, TaskQueue], lists: Lists) -> None:
        self._packers = {reward_type: Packer(kind, queue, lists) for reward_type, queue in queues.items()}

    def add(self, found: FoundGroup) -> bool:
        """False where there is no queue for this type, which a newer release may have written."""
        packer = self._packers.get(found.reward_type)
        if packer is None:
            return False
        packer.add(found)
        return True

    def flush(self) -> None:
        for packer in self._packers.values():
            packer.flush()
