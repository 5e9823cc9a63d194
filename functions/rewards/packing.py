"""Packing: rows of the due index become groups, groups become tasks, tasks go to the queue of their reward type.

Rows stream through: what is held at a time is one group and the ten tasks of a batch, however many rows there are.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Protocol

import msgspec
from msgspec import Struct

from rewards.identifiers import split
from rewards.tasks import Group, Kind, ShardWindow, Task, TaskQueue

TASK_REWARDS = 25
BATCH_TASKS = 10  # as SQS takes them


class FoundRow(Struct, frozen=True, order=True, gc=False):
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


class Outlet(TaskQueue, Protocol):
    """A queue that many tasks go to: `send` may return while they are still on their way, `flush` may not.

    What could not be sent is raised by either.
    """

    def flush(self) -> None: ...


class FoundGroup(Struct, frozen=True, gc=False):
    """Rows of one slot, member and promotion, in the order of their orders' times; `last` is the last one's key."""

    slot: str
    reward_type: str
    group: Group
    last: str


class Groups:
    """The groups of rows that come in the order of the due index.

    A row whose key says nothing belongs to no group and is left where it stands: `unreadable` learns its key.
    """

    def __init__(self, rows: Iterable[FoundRow]) -> None:
        self.unreadable: list[str] = []
        self._rows = rows

    def __iter__(self) -> Iterator[FoundGroup]:
        head: tuple[str, ...] = ()
        orders: list[str] = []
        last = ""
        for row in self._rows:
            try:
                slot, shop, member, promotion, _, order = split(row.sort)
            except ValueError:
                self.unreadable.append(row.sort)
                continue
            found = (member, promotion, shop, slot, row.reward_type)
            if found != head:
                if orders:
                    yield _group(head, orders, last)
                head, orders = found, []
            orders.append(order)
            last = row.sort
        if orders:
            yield _group(head, orders, last)


def _group(head: tuple[str, ...], orders: list[str], last: str) -> FoundGroup:
    member, promotion, shop, slot, reward_type = head
    return FoundGroup(slot, reward_type, Group(shop, member, promotion, tuple(orders)), last)


class Packer:
    """The tasks of one queue in the making: small groups share one, a large one has its list kept elsewhere."""

    def __init__(self, kind: Kind, outlet: Outlet, lists: Lists) -> None:
        self._kind = kind
        self._outlet = outlet
        self._lists = lists
        self._groups: list[Group] = []
        self._rewards = 0
        self._tasks: list[Task] = []

    def add(self, found: FoundGroup) -> None:
        rewards = len(found.group.orders)
        if rewards > TASK_REWARDS:
            self._append(self._listed(found))
            return
        if self._rewards + rewards > TASK_REWARDS:
            self._close_task()
        self._groups.append(found.group)
        self._rewards += rewards

    def flush(self) -> None:
        """Send all that was added; when this returns, none of it depends on this process."""
        self._close_task()
        self._send()
        self._outlet.flush()

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
            self._groups, self._rewards = [], 0

    def _append(self, task: Task) -> None:
        self._tasks.append(task)
        if len(self._tasks) == BATCH_TASKS:
            self._send()

    def _send(self) -> None:
        if self._tasks:
            self._outlet.send(self._tasks)
            self._tasks = []


class Packers:
    """A packer for each reward type there is a queue for; `sent` and `left` count the rewards that had one or not."""

    def __init__(self, kind: Kind, outlets: Mapping[str, Outlet], lists: Lists) -> None:
        self.sent = self.left = 0
        self._packers = {reward_type: Packer(kind, outlet, lists) for reward_type, outlet in outlets.items()}

    def add(self, found: FoundGroup) -> None:
        """Leave the group where it is, if there is no queue for its type, which a newer release may have written."""
        packer = self._packers.get(found.reward_type)
        if packer is None:
            self.left += len(found.group.orders)
            return
        self.sent += len(found.group.orders)
        packer.add(found)

    def flush(self) -> None:
        for packer in self._packers.values():
            packer.flush()
