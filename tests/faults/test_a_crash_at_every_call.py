"""Whatever goes wrong at whatever call of AWS or of a provider: in the end all is as if nothing had.

A whole story is lived once for every call it makes and every fault that call may meet; after each the queues deliver
again what was not worked off, the schedules run, the stream is read, until all is still. In a check a fixed share of
these crash points is tried, in a soak each of them.
"""

from collections.abc import Callable
from functools import cache

import pytest

from tests.faults.books import Books, Ending
from tests.faults.crash_points import CrashPoint, Fault
from tests.faults.stack import Stack
from tests.faults.stories import STORIES
from tests.soak import IS_SOAK

STRIDE = 1 if IS_SOAK else 149
"""Of so many calls one is tried; each fault begins at another, so that together they come by more of them."""

Live = Callable[[str, Fault | None, int], Ending]


@pytest.fixture(scope="module")
def live(stack: Stack, crash_point: CrashPoint) -> Live:
    """How a story ends where a fault strikes at a call, and its books are right."""

    def live(name: str, fault: Fault | None, at: int) -> Ending:
        crash_point.disarm()
        STORIES[name].begin(stack)
        crash_point.arm(fault, at)
        STORIES[name].go_on(stack)
        crash_point.disarm()
        books = Books(stack)
        books.check()
        return books.ending()

    return live


@pytest.fixture(scope="module")
def undisturbed(live: Live, crash_point: CrashPoint) -> Callable[[str], tuple[Ending, int]]:
    """How a story ends where nothing goes wrong, and how many calls that takes."""
    return cache(lambda name: (live(name, None, 0), crash_point.calls))


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("name", STORIES)
def test_a_story_ends_as_if_nothing_had_gone_wrong(
    name: str,
    fault: Fault,
    live: Live,
    undisturbed: Callable[[str], tuple[Ending, int]],
    crash_point: CrashPoint,
    record_property: Callable[[str, int], None],
) -> None:
    ending, calls = undisturbed(name)
    assert ending.rewards == STORIES[name].ends
    tried = 0
    for at in range(1 + [*Fault].index(fault) * 3 % STRIDE, calls + 1, STRIDE):
        try:
            assert live(name, fault, at) == ending
        except Exception as error:
            error.add_note(f"at call {at} of {calls}, {crash_point.struck}")
            raise
        tried += crash_point.struck is not None
    record_property("crash points", tried)
