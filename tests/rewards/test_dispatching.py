"""Dispatching: every row of a window reaches a queue, whatever dies, however little time there is."""

import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from itertools import count, groupby

import pytest
from msgspec.structs import replace

from rewards.dispatching import Dispatched, LeftToSweep, SentOn, dispatch
from rewards.identifiers import join
from rewards.packing import FoundRow
from rewards.tasks import PASSES_MAX, Group, ShardWindow, Task
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueues, MemoryWindows, rewards_in

WINDOW = ShardWindow("reward", "2026-12-01", 0, "2026-12-01T16:00Z", "2026-12-01T17:00Z")


class GeneratedIndex:
    """An index of so many rows, made as they are read; each member has `per_member` of them."""

    def __init__(self, rows: int, *, per_member: int = 2, reward_type: str = "LoyaltyPoints") -> None:
        self._rows = rows
        self._per_member = per_member
        self._reward_type = reward_type

    def parts(self, window: ShardWindow) -> Iterator[Iterable[FoundRow]]:
        """A part for each member, so that a group is complete when the next one's is read."""
        for _, part in groupby(self._rows_of(window), key=lambda row: row.sort.rsplit("#", 2)[0]):
            yield part

    def _rows_of(self, window: ShardWindow) -> Iterator[FoundRow]:
        for number in range(self._rows):
            member = f"M{number // self._per_member:07}"
            sort = join(window.start, "1", member, "28343", "2026-11-24T04:00:00.000000Z", f"TG{number:07}")
            if sort > (window.after or ""):
                yield FoundRow(sort, self._reward_type)


class Ports:
    def __init__(self) -> None:
        self.queues = MemoryQueues()
        self.lists = MemoryLists()
        self.windows = MemoryWindows()

    def dispatch(
        self,
        index: GeneratedIndex,
        window: ShardWindow = WINDOW,
        *,
        shut: tuple[str, ...] = (),
        out_of_time: Callable[[], bool] = lambda: False,
    ) -> Dispatched:
        return dispatch(window, index, self.queues, self.lists, self.windows, shut=shut, out_of_time=out_of_time)

    def orders(self, queue: str = "grant_points_low") -> list[str]:
        return [reward.order_group for reward in rewards_in(self.queues(queue).waiting, self.lists)]


def orders(rows: int) -> list[str]:
    return [f"TG{number:07}" for number in range(rows)]


def test_every_row_of_the_window_is_sent_once_in_order() -> None:
    ports = Ports()
    assert ports.dispatch(GeneratedIndex(1_003, per_member=3)) == Dispatched(1_003)
    assert ports.orders() == orders(1_003)


def test_recycles_go_to_the_recycle_queue() -> None:
    ports = Ports()
    ports.dispatch(GeneratedIndex(3), replace(WINDOW, kind="recycle"))
    assert ports.orders("recycle_points") == orders(3)
    assert ports.orders() == []


def test_a_type_without_a_queue_is_counted_and_left_in_the_index() -> None:
    ports = Ports()
    assert ports.dispatch(GeneratedIndex(3, reward_type="Newer")) == Dispatched(0, left=3)
    assert ports.orders() == []


def test_what_waits_for_a_provider_whose_breaker_is_open_is_left_in_the_index_and_the_rest_is_sent() -> None:
    ports = Ports()
    assert ports.dispatch(GeneratedIndex(3), shut=("LoyaltyPoints",)) == Dispatched(0, left=3)
    assert ports.dispatch(GeneratedIndex(3, reward_type="ECoupon"), shut=("LoyaltyPoints",)) == Dispatched(3)
    assert ports.orders() == []
    assert ports.orders("grant_coupon_low") == orders(3)


class OddIndex(GeneratedIndex):
    """One in which a row nobody can read stands before each of the others."""

    def _rows_of(self, window: ShardWindow) -> Iterator[FoundRow]:
        for row in super()._rows_of(window):
            yield FoundRow(f"{window.start}#", "LoyaltyPoints")
            yield row


def test_rows_nobody_can_read_are_left_and_told_and_the_others_are_sent() -> None:
    ports = Ports()
    outcome = ports.dispatch(OddIndex(3))
    assert outcome == Dispatched(3, unreadable=(f"{WINDOW.start}#",) * 3)
    assert ports.orders() == orders(3)


def test_beside_rows_nobody_can_read_a_chain_of_dispatchers_goes_on_from_one_that_can_be() -> None:
    ports = Ports()
    assert isinstance(ports.dispatch(OddIndex(4), out_of_time=lambda: True), SentOn)
    ((rest, _),) = ports.windows.take()
    assert ports.dispatch(OddIndex(4), rest).rewards == 2
    assert ports.orders() == orders(4)


def test_an_empty_window_sends_nothing() -> None:
    ports = Ports()
    assert ports.dispatch(GeneratedIndex(0)) == Dispatched()
    assert not ports.queues("grant_points_low").waiting


def test_out_of_time_it_sends_the_rest_of_the_window_on_from_the_last_group_sent() -> None:
    ports, asked = Ports(), count(1)
    outcome = ports.dispatch(GeneratedIndex(100), out_of_time=lambda: next(asked) == 20)
    assert outcome == SentOn(40)
    assert ports.orders() == orders(40)
    ((rest, delay),) = ports.windows.take()
    assert (rest.passes, delay.total_seconds()) == (1, 0)
    assert ports.dispatch(GeneratedIndex(100), rest) == Dispatched(60)
    assert ports.orders() == orders(100)


def test_a_chain_without_any_time_advances_by_a_group_a_pass_and_ends() -> None:
    ports, window, passes = Ports(), WINDOW, 0
    while True:
        outcome = ports.dispatch(GeneratedIndex(100), window, out_of_time=lambda: True)
        passes += 1
        if isinstance(outcome, LeftToSweep):
            break
        ((window, _),) = ports.windows.take()
    assert passes == PASSES_MAX + 1
    assert ports.orders() == orders(2 * passes)
    assert not ports.windows.waiting


def test_a_group_is_never_cut_by_the_time_limit() -> None:
    ports = Ports()
    ports.dispatch(GeneratedIndex(60, per_member=30), out_of_time=lambda: True)
    (task,) = ports.queues("grant_points_low").waiting
    assert task.list_key
    assert ports.lists.read(task.list_key) == Group("1", "M0000000", "28343", tuple(orders(30)))


class Fault(Exception):
    pass


class Faulty:
    """Calls to the outside, one of which fails: before it is done, or after, so that only the reply is lost."""

    def __init__(self, fails_at: int, *, is_done: bool) -> None:
        self._calls = count(1)
        self._fails_at = fails_at
        self._is_done = is_done
        self.failed = False

    def __call__(self, call: Callable[..., None]) -> Callable[..., None]:
        def faulty(*arguments: object) -> None:
            fails = next(self._calls) == self._fails_at
            if not fails or self._is_done:
                call(*arguments)
            if fails:
                self.failed = True
                raise Fault

        return faulty


@pytest.mark.parametrize("is_done", [False, True], ids=["before the call", "after the call"])
def test_a_dispatcher_that_dies_at_any_call_still_releases_every_row_after_redelivery(is_done: bool) -> None:
    rows, faults = 700, 0
    for fails_at in count(1):
        ports, asked, fault = Ports(), count(1), Faulty(fails_at, is_done=is_done)
        queue = ports.queues("grant_points_low")
        for port, name in ((queue, "send"), (ports.lists, "write"), (ports.windows, "send")):
            setattr(port, name, fault(getattr(port, name)))
        left = [WINDOW]
        while left:
            try:
                ports.dispatch(
                    GeneratedIndex(rows, per_member=26), left[0], out_of_time=lambda asked=asked: next(asked) % 9 == 0
                )
            except Fault:
                continue  # the same message comes again
            left = [*left[1:], *(each.window for each in ports.windows.take())]
        assert set(ports.orders()) == set(orders(rows))
        if not fault.failed:
            break
        faults += 1
    assert faults > 25


class Drain:
    """A queue and a place for lists that keep nothing."""

    def send(self, tasks: list[Task]) -> None:
        pass

    def flush(self) -> None:
        pass

    def write(self, key: str, group: Group) -> None:
        pass


def peak(rows: int) -> int:
    """Bytes of memory in use at most while so many rows are dispatched."""
    drain = Drain()
    tracemalloc.start()
    try:
        dispatch(
            WINDOW, GeneratedIndex(rows), lambda _: drain, drain, MemoryWindows(), shut=(), out_of_time=lambda: False
        )
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_window() -> None:
    """The keys of 200,000 rows alone would be 30 MB; what remains is what Python keeps at hand."""
    assert peak(1_000) < 500_000
    assert peak(200_000) < 500_000
