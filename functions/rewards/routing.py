"""Routing: each reward goes to a queue of its type, whose workers know the provider that has to be called."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from rewards.promotion import RewardType
from rewards.reward import Reward
from rewards.tasks import Kind, Queue, TaskQueue, task_of

AnyQueue = TypeVar("AnyQueue", bound=TaskQueue)

AT_ONCE: Mapping[RewardType, Queue] = {
    "LoyaltyPoints": "grant_points_high",
    "ECoupon": "grant_coupon_high",
}
"""Where rewards go that are due when they are booked."""

RECYCLES: Mapping[RewardType, Queue] = {
    "LoyaltyPoints": "recycle_points",
    "ECoupon": "recycle_coupon",
}
"""Where granted rewards go that the order no longer earns."""

LOOKED_FOR: Mapping[Kind, Mapping[RewardType, Queue]] = {
    "reward": {"LoyaltyPoints": "grant_points_low", "ECoupon": "grant_coupon_low"},
    "recycle": RECYCLES,
    "expire": {},
}
"""Where the rewards of a kind go that were looked for, not told of."""


class RewardQueue:
    """Sends rewards to work on, each as a message of its own, to the one of the `queues` that is named for its type."""

    def __init__(self, names: Mapping[RewardType, Queue], queues: Callable[[Queue], TaskQueue]) -> None:
        self._names = names
        self._queues = queues

    def send(self, rewards: list[Reward]) -> None:
        """Raises when something could not be sent, after it was tried again."""
        for reward_type, name in self._names.items():
            if tasks := [task_of(reward) for reward in rewards if reward.reward_type == reward_type]:
                self._queues(name).send(tasks)


def queues_of(kind: Kind, queues: Callable[[Queue], AnyQueue]) -> dict[str, AnyQueue]:
    """The queues for rewards of this kind that were looked for, by reward type."""
    return {reward_type: queues(name) for reward_type, name in LOOKED_FOR[kind].items()}
