"""Dispatching: what is due in one shard of a window goes to the workers.

A dispatcher that dies anywhere loses nothing: its message comes again, and what was sent twice is claimed once. Near
its time limit it sends the rest of its window on, from the last group that is already in a queue.
"""

from collections.abc import Callable, Container
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from rewards.packing import DueIndex, Groups, Lists, Outlet, Packers
from rewards.routing import queues_of
from rewards.tasks import PASSES_MAX, Delayed, Queue, ShardWindow, WindowQueue


class Dispatched(Struct, frozen=True):
    """So many rewards are on their way. The others stay in the index: their provider's breaker is open, or this release
    has no queue for their type. So do the rows whose keys, the `unreadable`, say nothing.
    """

    rewards: int = 0
    left: int = 0
    unreadable: tuple[str, ...] = ()


class SentOn(Dispatched, frozen=True):
    """Time ran out: another dispatcher goes on."""


class LeftToSweep(Dispatched, frozen=True):
    """Time ran out in the last pass of the chain."""


def dispatch(
    window: ShardWindow,
    index: DueIndex,
    queues: Callable[[Queue], Outlet],
    lists: Lists,
    dispatchers: WindowQueue,
    *,
    shut: Container[str],
    out_of_time: Callable[[], bool],
) -> Dispatched:
    """Send the rewards of `window`, part by part; at least one group, so that a chain of passes always advances.

    Those of the types that are `shut` are left to the sweep.
    """
    working = {of: queue for of, queue in queues_of(window.kind, queues).items() if of not in shut}
    groups, packers = Groups(index.parts(window)), Packers(window.kind, working, lists)
    outcome: type[Dispatched] = Dispatched
    for rows in groups:
        packers.add(rows)
        if out_of_time():
            packers.flush()
            outcome = _hand_over(window, rows[-1].sort, dispatchers)
            break
    else:
        packers.flush()
    return outcome(packers.sent, packers.left, tuple(groups.unreadable))


def _hand_over(window: ShardWindow, last: str, dispatchers: WindowQueue) -> type[SentOn | LeftToSweep]:
    if window.passes == PASSES_MAX:
        return LeftToSweep
    dispatchers.send([Delayed(replace(window, after=last, passes=window.passes + 1), timedelta())])
    return SentOn
