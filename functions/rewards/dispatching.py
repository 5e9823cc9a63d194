"""Dispatching: what is due in one shard of a window goes to the workers.

A dispatcher that dies anywhere loses nothing: its message comes again, and what was sent twice is claimed once. Near
its time limit it sends the rest of its window on, from the last group that is already in a queue.
"""

from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from rewards.packing import DueIndex, Lists, Packers, groups
from rewards.routing import queues_of
from rewards.tasks import PASSES_MAX, Delayed, Queue, ShardWindow, TaskQueue, WindowQueue


class Dispatched(Struct, frozen=True):
    """So many rewards are on their way; those without a queue stay in the index, for a release that has one."""

    rewards: int = 0
    without_queue: int = 0


class SentOn(Dispatched, frozen=True):
    """Time ran out: another dispatcher goes on."""


class LeftToSweep(Dispatched, frozen=True):
    """Time ran out in the last pass of the chain."""


def dispatch(
    window: ShardWindow,
    index: DueIndex,
    queues: Callable[[Queue], TaskQueue],
    lists: Lists,
    dispatchers: WindowQueue,
    *,
    out_of_time: Callable[[], bool],
) -> Dispatched:
    """Send the rewards of `window`, group by group; at least one group, so that a chain of passes always advances."""
    packers = Packers(window.kind, queues_of(window.kind, queues), lists)
    done = Dispatched()
    for found in groups(index.rows(window)):
        done = _counted(done, len(found.group.orders), has_queue=packers.add(found))
        if out_of_time():
            packers.flush()
            return _hand_over(window, found.last, dispatchers, done)
    packers.flush()
    return done


def _hand_over(window: ShardWindow, last: str, dispatchers: WindowQueue, done: Dispatched) -> SentOn | LeftToSweep:
    if window.passes == PASSES_MAX:
        return LeftToSweep(done.rewards, done.without_queue)
    dispatchers.send([Delayed(replace(window, after=last, passes=window.passes + 1), timedelta())])
    return SentOn(done.rewards, done.without_queue)


def _counted(done: Dispatched, rewards: int, *, has_queue: bool) -> Dispatched:
    if has_queue:
        return replace(done, rewards=done.rewards + rewards)
    return replace(done, without_queue=done.without_queue + rewards)
