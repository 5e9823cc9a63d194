"""The queues by which the steps send each other work."""

from functools import cache

from adapters.queues import SqsTaskQueue, SqsTimerQueue, SqsWindowQueue
from bootstrap.clients import sqs
from bootstrap.settings import setting
from rewards.routing import AT_ONCE, RECYCLES, RewardQueue
from rewards.tasks import Queue


@cache
def tasks(queue: Queue) -> SqsTaskQueue:
    """The queue of that name; `grant_points_low` has its address in GRANT_POINTS_LOW_QUEUE."""
    return SqsTaskQueue(sqs(), setting(f"{queue.upper()}_QUEUE"))


def at_once() -> RewardQueue:
    """Where rewards go that are due when they are booked."""
    return RewardQueue(AT_ONCE, tasks)


def recycles() -> RewardQueue:
    """Where granted rewards go that the order no longer earns."""
    return RewardQueue(RECYCLES, tasks)


@cache
def windows() -> SqsWindowQueue:
    return SqsWindowQueue(sqs(), setting("DISPATCH_QUEUE"))


@cache
def timers() -> SqsTimerQueue:
    return SqsTimerQueue(sqs(), setting("TIMERS_QUEUE"))
