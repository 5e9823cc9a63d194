"""Working through tasks: the rewards of all of them together, in the order their orders were made."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from rewards.due import parse
from rewards.guard import Crew
from rewards.outcomes import OfReward, Unsettled
from rewards.reward import RewardId
from rewards.tasks import PASSES_MAX, Group, Task, TaskQueue

Told = Mapping[RewardId, OfReward | Exception]
"""What came of the rewards that were begun; of those that could not be settled, why."""


class Lists(Protocol):
    """Where a group too large for a message keeps its list."""

    def read(self, key: str) -> Group:
        """Raises LookupError if there is no such list."""


class TryAgain(Exception):
    """This reward could not be settled; its message is to come back."""


class Worked(NamedTuple):
    """What came of the rewards that are done with; and of each task why its message is to come back, if it is."""

    outcomes: list[OfReward]
    failures: list[Exception | None]


def work(
    tasks: Sequence[Task], crew: Crew, lists: Lists, again: TaskQueue, *, out_of_time: Callable[[], bool]
) -> Worked:
    """Work off the rewards of all tasks, as many at a time as the `crew` takes. One that is named twice is done once.

    A reward that fails goes on in a message of its own, so that it costs only itself; a message that holds nothing but
    that reward comes back. Near its time limit the worker sends on what is not begun, as another pass; after the last
    one the sweep finds what is left.
    """
    shares = [_share(task, lists) for task in tasks]
    told = _told([*dict.fromkeys(id for share in shares for _, id in share.to_do)], crew, out_of_time)
    onward = [share.onward(told) for share in shares]
    failures = [share.failure(told) for share in shares]
    try:
        again.send([*dict.fromkeys(task for tasks in onward for task in tasks)])
    except Exception as error:  # so those that were to go on come back as they are
        failures = [failure or (error if tasks else None) for failure, tasks in zip(failures, onward, strict=True)]
    return Worked([outcome for outcome in told.values() if isinstance(outcome, OfReward)], failures)


class _Share(NamedTuple):
    """A task and the rewards it names, each with a task that names it alone; or why they cannot be read."""

    task: Task
    rewards: list[tuple[Task, RewardId]]
    error: Exception | None = None

    @property
    def to_do(self) -> list[tuple[Task, RewardId]]:
        return self.rewards[self.task.start :]

    @property
    def is_single(self) -> bool:
        return len(self.rewards) == 1

    def failure(self, told: Told) -> Exception | None:
        """Why the message is to come back: itself, not what it names."""
        ends = [told.get(id) for _, id in self.rewards] if self.is_single else []
        return next((end for end in ends if isinstance(end, Exception)), self.error)

    def onward(self, told: Told) -> list[Task]:
        """Messages for what failed, each alone, and for what was not begun."""
        failed = [task for task, id in self.to_do if isinstance(told.get(id), Exception)]
        alone = [] if self.is_single else failed
        left = [place for place, (_, id) in enumerate(self.to_do, self.task.start) if id not in told]
        if left and self.task.passes < PASSES_MAX:
            return [*alone, replace(self.task, start=left[0], passes=self.task.passes + 1)]
        return alone


def _share(task: Task, lists: Lists) -> _Share:
    try:
        groups = [lists.read(task.list_key)] if task.list_key else task.groups
    except Exception as error:
        return _Share(task, [], error)
    by_key = [(Task((key,), passes=task.passes), parse(key).id) for key in task.keys]
    by_group = [(_alone(group, id, task.passes), id) for group in groups for id in group.rewards()]
    return _Share(task, by_key + by_group)


def _alone(group: Group, id: RewardId, passes: int) -> Task:
    return Task(groups=(replace(group, orders=(id.order_group,)),), passes=passes)


def _told(ids: list[RewardId], crew: Crew, out_of_time: Callable[[], bool]) -> dict[RewardId, OfReward | Exception]:
    """However little time there is, some are worked on: so each pass advances."""
    told: dict[RewardId, OfReward | Exception] = {}
    while ids and not (told and out_of_time()):
        ended = crew(ids)
        told |= {id: _settled(end) for id, end in ended.items()}
        ids = ids[len(ended) :]
    return told


def _settled(end: OfReward | Exception) -> OfReward | Exception:
    return TryAgain(f"{end.reward}: {end.problem}") if isinstance(end, Unsettled) else end
