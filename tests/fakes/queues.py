"""Queues in memory: what was sent waits until a test takes it."""

from datetime import timedelta
from itertools import chain
from typing import Generic, TypeVar

from rewards.reward import RewardId
from rewards.tasks import Delayed, Task
from tests.fakes.lists import MemoryLists

Message = TypeVar("Message")


class MemoryQueue(Generic[Message]):
    def __init__(self) -> None:
        self.waiting: list[Message] = []
        self.spans: list[timedelta] = []

    def send(self, messages: list[Message]) -> None:
        self.waiting += messages

    def send_over(self, span: timedelta, messages: list[Message]) -> None:
        self.waiting += messages
        self.spans.append(span)

    def flush(self) -> None:
        """All that was sent stands here already."""

    def take(self) -> list[Message]:
        taken, self.waiting = self.waiting, []
        return taken

    def depth(self) -> int:
        return len(self.waiting)


class MemoryQueues:
    """Queues of tasks by name, each made when it is first asked for."""

    def __init__(self) -> None:
        self._queues: dict[str, MemoryQueue[Task]] = {}

    def __call__(self, name: str) -> MemoryQueue[Task]:
        return self._queues.setdefault(name, MemoryQueue())


MemoryWindows = MemoryQueue[Delayed]


def rewards_in(tasks: list[Task], lists: MemoryLists) -> list[RewardId]:
    """The rewards that tasks stand for, in order, those in lists included."""
    named = (lists.read(task.list_key).rewards() if task.list_key else task.rewards() for task in tasks)
    return list(chain.from_iterable(named))
