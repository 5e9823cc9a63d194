"""Packing: rows of the due index become groups, groups become tasks, tasks go to the queue of their reward type.

Rows stream through: what is held at a time is a page of them and the ten tasks of a batch, however many rows there are.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Protocol

import msgspec
from msgspec import Struct

from rewards.due import is_sort_key, parse
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


Keys = list[str]
"""A group: the sort keys of one slot, member and promotion, in the order of their orders' times."""

Found = Mapping[str, list[Keys]]
"""Groups of each reward type."""


def last_key(found: Found) -> str:
    """The key of the row of these groups that stands last in the index."""
    return max(groups[-1][-1] for groups in found.values())


class Groups:
    """The groups of rows that come in the order of the due index: as many at a time as a part of them completes.

    A row whose key says nothing belongs to no group and is left where it stands: `unreadable` learns its key.
    """

    def __init__(self, parts: Iterable[Iterable[FoundRow]]) -> None:
        self.unreadable: list[str] = []
        self._parts = parts

    def __iter__(self) -> Iterator[Found]:
        """A million rows pass here, so a key is split no further than it takes to compare what two rows share."""
        keys: Keys = []
        group: str | None = None
        reward_type = ""
        for part in self._parts:
            found: defaultdict[str, list[Keys]] = defaultdict(list)
            for row in part:
                key = row.sort
                try:
                    of, _, _ = key.rsplit("#", 2)
                except ValueError:
                    self.unreadable.append(key)
                    continue
                if of == group and row.reward_type == reward_type:
                    keys.append(key)
                elif not is_sort_key(key):
                    self.unreadable.append(key)
                else:
                    if keys:
                        found[reward_type].append(keys)
                    keys, group, reward_type = [key], of, row.reward_type
            if found:
                yield found
        if keys:
            yield {reward_type: [keys]}


class Packer:
    """The tasks of one queue in the making: small groups share one, a large one has its list kept elsewhere."""

    def __init__(self, kind: Kind, outlet: Outlet, lists: Lists) -> None:
        self._kind = kind
        self._outlet = outlet
        self._lists = lists
        self._keys: Keys = []
        self._tasks: list[Task] = []

    def add(self, groups: Iterable[Keys]) -> None:
        for keys in groups:
            if len(self._keys) + len(keys) <= TASK_REWARDS:
                self._keys += keys
            elif len(keys) <= TASK_REWARDS:
                self._close_task()
                self._keys += keys
            else:
                self._append(self._listed(keys))

    def flush(self) -> None:
        """Send all that was added; when this returns, none of it depends on this process."""
        self._close_task()
        self._send()
        self._outlet.flush()

    def _listed(self, keys: Keys) -> Task:
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

    def _close_task(self) -> None:
        if self._keys:
            self._append(Task(tuple(self._keys)))
            self._keys = []

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

    def add(self, found: Found) -> None:
        """Leave groups where they are, if there is no queue for their type, which a newer release may have written."""
        for reward_type, groups in found.items():
            if packer := self._packers.get(reward_type):
                packer.add(groups)
                self.sent += sum(map(len, groups))
            else:
                self.left += sum(map(len, groups))

    def flush(self) -> None:
        for packer in self._packers.values():
            packer.flush()
