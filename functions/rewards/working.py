"""Working through a task: reward by reward, in the order their orders were made."""

from collections.abc import Callable, Iterator
from typing import Protocol

from msgspec.structs import replace

from rewards.outcomes import OfReward, Unsettled
from rewards.reward import RewardId
from rewards.tasks import PASSES_MAX, Group, Task, TaskQueue


class Lists(Protocol):
    """Where a group too large for a message keeps its list."""

    def read(self, key: str) -> Group:
        """Raises LookupError if there is no such list."""


class TryAgain(Exception):
    """This reward could not be settled; its message is to come back."""


def work(
    task: Task,
    one: Callable[[RewardId], OfReward],
    lists: Lists,
    again: TaskQueue,
    *,
    out_of_time: Callable[[], bool],
) -> list[OfReward]:
    """What came of each reward. One that fails goes on in a message of its own, so that it costs only itself.

    Near its time limit the worker sends the rest on as another pass; after the last one the sweep finds what is left.
    Raises TryAgain, or what the reward raised, where the message holds nothing but that reward.
    """
    rewards = list(_rewards(task, lists))
    if len(rewards) == 1:
        (_, id), *_ = rewards
        return [_settled(one(id))]
    outcomes = []
    for position, (group, id) in enumerate(rewards[task.start :], start=task.start):
        if position > task.start and out_of_time():
            if task.passes < PASSES_MAX:
                again.send([replace(task, start=position, passes=task.passes + 1)])
            break
        try:
            outcomes.append(_settled(one(id)))
        except Exception:  # whatever it is, the message of its own will meet it again and tell
            again.send([Task((replace(group, orders=(id.order_group,)),))])
    return outcomes


def _rewards(task: Task, lists: Lists) -> Iterator[tuple[Group, RewardId]]:
    groups = [lists.read(task.list_key)] if task.list_key else task.groups
    return ((group, id) for group in groups for id in group.rewards())


def _settled(outcome: OfReward) -> OfReward:
    if isinstance(outcome, Unsettled):
        raise TryAgain(f"{outcome.reward}: {outcome.problem}")
    return outcome
