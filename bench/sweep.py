"""How many messages each of a million rewards is in, that fall due at one instant and are worked off bit by bit.

    python -m bench.sweep

`dispatch` and `sweep` are the real ones; the index, the queue and the workers are models of them, on a clock of their
own. A message that comes for a reward that is settled takes a worker's time like any other.
"""

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from bench.table import Measured, progress, show
from rewards.dispatching import dispatch
from rewards.due import partition
from rewards.identifiers import join
from rewards.packing import FoundRow
from rewards.sweeping import sweep
from rewards.tasks import Group, ShardWindow, Task
from rewards.windows import slot
from tests.fakes.control import MemoryControl
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryWindows

PART = "Sweep over a backlog"
MILLION = 1_000_000
HOUR, GRACE, BETWEEN_SWEEPS = timedelta(hours=1), timedelta(minutes=30), timedelta(minutes=10)
DUE_AT = datetime(2026, 11, 30, 16, tzinfo=UTC)
START, END = (slot("reward", at, HOUR) for at in (DUE_AT, DUE_AT + HOUR))
SHARDS, SWEEP_LIMIT = 16, 10_000
MESSAGES_MOST = 1.1


class Backlog:
    """So many rewards in one slot of the index, two to a member, and the queue they are worked off from."""

    def __init__(self, rewards: int) -> None:
        self.named = 0
        self.left = rewards
        self._settled = bytearray(rewards)
        self._queue: deque[Task] = deque()

    def parts(self, window: ShardWindow) -> Iterator[Iterator[FoundRow]]:
        yield self._rows(window)

    def _rows(self, window: ShardWindow) -> Iterator[FoundRow]:
        if partition("reward", window.date, window.shard) != partition("reward", START[:10], window.shard):
            return
        if not window.start <= START < window.end:
            return
        for number in range(window.shard, len(self._settled), SHARDS):
            if not self._settled[number]:
                member = f"M{number // (2 * SHARDS):07}"
                yield FoundRow(join(START, "1", member, "28343", "2026-11-24T04:00Z", f"{number:07}"), "LoyaltyPoints")

    def send(self, tasks: list[Task]) -> None:
        self._queue += tasks
        self.named += sum(len(task.rewards()) for task in tasks)

    def flush(self) -> None:
        """All that was sent stands here already."""

    def depth(self) -> int:
        return len(self._queue)

    def send_over(self, span: timedelta, tasks: list[Task]) -> None:  # noqa: ARG002 - the port's
        self.send(tasks)

    def write(self, key: str, group: Group) -> None:  # noqa: ARG002 - the port's
        raise AssertionError("no group here is that large")

    def work(self, rewards: int) -> None:
        """Work off so many, or what there is."""
        while self._queue and rewards > 0:
            for reward in self._queue.popleft().rewards():
                rewards -= 1
                self.left -= not self._settled[int(reward.order_group)]
                self._settled[int(reward.order_group)] = True


def messages_each(rewards: int, a_second: int, *, is_dispatched: bool) -> float:
    """In how many messages a reward is in the mean, until all are settled; the dispatch may have been lost whole."""
    backlog, control, now = Backlog(rewards), MemoryControl(), DUE_AT + HOUR
    control.move_oldest("reward", DUE_AT.date())
    if is_dispatched:
        for shard in range(SHARDS):
            window = ShardWindow("reward", START[:10], shard, START, END)
            dispatch(
                window, backlog, lambda _: backlog, backlog, MemoryWindows(), shut=(), out_of_time=lambda: False
            )  # fmt: skip
    while backlog.left:
        backlog.work(a_second * int(BETWEEN_SWEEPS.total_seconds()))
        now += BETWEEN_SWEEPS
        sweep(
            "reward", backlog, control, lambda _: backlog, MemoryLists(),
            shut=(), now=now, grace=GRACE, limit=SWEEP_LIMIT, shards=SHARDS, period=HOUR,
        )  # fmt: skip
    return backlog.named / rewards


def measure() -> list[Measured]:
    cases = [
        ("dispatched, workers at 100 a second", MILLION, 100, True),
        ("dispatched, workers at 13 a second", MILLION, 13, True),
        ("every message of the dispatch lost, workers at 100 a second", MILLION // 10, 100, False),
        ("every message of the dispatch lost, workers at 13 a second", MILLION // 10, 13, False),
    ]
    return [_measured(*case) for case in cases]


def _measured(what: str, rewards: int, a_second: int, is_dispatched: bool) -> Measured:
    progress(f"sweep: {rewards:,} due, {what}")
    each = messages_each(rewards, a_second, is_dispatched=is_dispatched)
    what, figure, bar = f"{rewards:,} due, {what}", f"{each:.3f} messages a reward", f"{MESSAGES_MOST} at most"
    return Measured(PART, what, figure, bar, each <= MESSAGES_MOST)


if __name__ == "__main__":
    show(measure())
