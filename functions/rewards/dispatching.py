"""Dispatching: what is due in one shard of a window goes to the workers.

A dispatcher that dies anywhere loses nothing: its message comes again, and what was sent twice is claimed once. Near
its time limit it sends the rest of its window on, from the last group that is already in a queue.
"""

from collections.abc import Callable, Container
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from rewards.packing import DueIndex, Lists, Packers, groups
from rewards.routing import queues_of
from rewards.tasks import PASSES_MAX, Delayed, Queue, ShardWindow, TaskQueue, WindowQueue


class Dispatched(Struct, frozen=True):
    """So many rewards are on their way. The others stay in the index: their provider's breaker is open, or this release
    has no queue for their type.
    """

    rewards: int = 0
    left: int = 0


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
    shut: Container[str],
    out_of_time: Callable[[], bool],
) -> Dispatched:
    """Send the rewards of `window`, group by group; at least one group, so that a chain of passes always advances.

    Those of the types that are `shut` are left to the sweep.
    """
    working = {of: queue for of, queue in queues_of(window.kind, queues).items() if of not in shut}
    packers = Packers(window.kind, working, lists)
    done = Dispatched()
    for found in groups(index.rows(window)):
        done = _counted(done, len(found.group.orders), is_sent=packers.add(found))
        if out_of_time():
            packers.flush()
            return _hand_over(window, found.last, dispatchers, done)
    packers.flush()
    return done


def _hand_over(window: ShardWindow, last: str, dispatchers: WindowQueue, done: Dispatched) -> SentOn | LeftToSweep:
    if window.passes == PASSES_MAX:
        return LeftToSweep(done.rewards, done.left)
    dispatchers.send([Delayed(replace(window, after=last, passes=window.passes + 1), timedelta())])
    return SentOn(done.rewards, done.left)


def _counted(done: Dispatched, rewards: int, *, is_sent: bool) -> Dispatched:
    if is_sent:
        return replace(done, rewards=done.rewards + rewards)
    return replace(done, left=done.left + rewards)
