"""The stack on a clock of its own: schedules, queues with their delays and tries, workers that keep to the breakers.

What decides is the real thing: plan, dispatch, sweep, guard and grant. Nothing takes time but waiting.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from msgspec.structs import replace

from delivery import DUE_WORK
from rewards.breaker import shut
from rewards.claiming import Worker
from rewards.dispatching import dispatch
from rewards.granting import giving_coupons, giving_points, grant
from rewards.guard import Crew, Guard, Outcomes
from rewards.messages import Message
from rewards.planning import Run, plan
from rewards.pooling import pooled
from rewards.provider import Done, Member, NotNow, PointsGrant, Unknown
from rewards.reward import Reward, RewardId
from rewards.routing import RECYCLES, RewardQueue
from rewards.sweeping import sweep
from rewards.tasks import Queue, Task
from rewards.working import work
from tests.builders import a_reward
from tests.fakes.breakers import MemoryBreakers
from tests.fakes.control import MemoryControl
from tests.fakes.coupons import MemoryCoupons
from tests.fakes.due_index import MemoryDueIndex
from tests.fakes.ledger import MemoryLedger
from tests.fakes.lists import MemoryLists
from tests.fakes.points import MemoryPoints
from tests.fakes.queues import MemoryWindows
from tests.fakes.world import LEASE, PATIENCE, STOCK_PATIENCE, TIMETABLE

HOUR = timedelta(hours=1)
NO_TIME = timedelta()
BATCH = 10
Fails = Callable[[datetime, Member], NotNow | Unknown | None]


class FailingPoints(MemoryPoints):
    """A service's points, unless `fails` says what comes instead for this member at this time; it notes when it was
    called.
    """

    together = 1

    def __init__(self, fails: Fails, now: Callable[[], datetime]) -> None:
        super().__init__()
        self.calls: list[datetime] = []
        self._fails = fails
        self._now = now

    def grant(self, grant: PointsGrant) -> Done | Any:
        self.calls.append(self._now())
        return self._fails(self._now(), grant.member) or super().grant(grant)


class Waiting(NamedTuple):
    """A message in a queue that nobody sees before its time, and how often it was delivered."""

    visible_at: datetime
    id: int
    attempts: int
    task: Task


class TimedQueue:
    def __init__(self, stack: "Stack", name: Queue) -> None:
        self.sent = 0
        self.received = 0
        self._stack = stack
        self._name = name
        self._waiting: list[Waiting] = []

    def send(self, tasks: list[Task]) -> None:
        self.send_over(NO_TIME, tasks)

    def send_over(self, span: timedelta, tasks: list[Task]) -> None:
        for place, task in enumerate(tasks):
            self.sent += 1
            self._put(Waiting(self._stack.now + span * place / len(tasks), self.sent, 0, task))

    def flush(self) -> None:
        """All that was sent stands here already."""

    def depth(self) -> int:
        return len(self._waiting)

    def drain(self) -> None:
        """Work off what is visible, a batch to an invocation. What raises is tried again like the steps do."""
        while batch := [each for each in self._waiting if each.visible_at <= self._stack.now][:BATCH]:
            self.received += len(batch)
            crew, tasks = self._stack.crew_of(self._name), [message.task for message in batch]
            worked = work(tasks, crew, self._stack.lists, self, out_of_time=lambda: False)
            for message, failure in zip(batch, worked.failures, strict=True):
                self._waiting.remove(message)
                if failure:
                    self._put_off(message)

    def _put_off(self, message: Waiting) -> None:
        told = Message(
            id=f"{self._name}-{message.id}", body="", queue="", source="", receipt="", attempts=message.attempts + 1,
            first_received_at=self._stack.now,
        )  # fmt: skip
        if told.attempts < DUE_WORK.tries:
            pause = timedelta(seconds=DUE_WORK.pause_after(told))
            self._put(message._replace(visible_at=self._stack.now + pause, attempts=told.attempts))

    def _put(self, message: Waiting) -> None:
        self._waiting.append(message)
        self._stack.at(message.visible_at, self.drain)


class Stack:
    """It stands at `now` until it is told to `run`."""

    def __init__(self, now: datetime, fails: Fails, *, sweep_limit: int = 10_000) -> None:
        self.now = now
        self.ledger = MemoryLedger()
        self.breakers = MemoryBreakers()
        self.lists = MemoryLists()
        self.points = FailingPoints(fails, lambda: self.now)
        self.coupons = MemoryCoupons()
        self.queues: dict[Queue, TimedQueue] = {}
        self.invocations = 0
        self._control = MemoryControl()
        self._sweep_limit = sweep_limit
        self._agenda: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = count()
        self.at(now.replace(minute=1), self._plan)
        self.at(now.replace(minute=5), self._sweep)

    def owe(self, rewards: int, at: datetime, **fields: Any) -> list[Reward]:
        """So many rewards, each of a member of its own, that fall due at this time."""
        owed = []
        for number in range(rewards):
            row = a_reward(
                order_group=f"TG{len(self.ledger.rows):05}", member_id=f"M{number}", booking_time=at, due=None, **fields
            )
            owed.append(replace(row, due=TIMETABLE.due("reward", row, now=self.now)))
            self.ledger.rows[row.id] = owed[-1]
        return owed

    def at(self, time: datetime, act: Callable[[], None]) -> None:
        heappush(self._agenda, (time, next(self._order), act))

    def run(self, until: datetime) -> None:
        while self._agenda[0][0] <= until:
            self.now, _, act = heappop(self._agenda)
            act()
        self.now = until

    def rows(self) -> list[Reward]:
        return list(self.ledger.rows.values())

    def queue(self, name: Queue) -> TimedQueue:
        return self.queues.setdefault(name, TimedQueue(self, name))

    def crew_of(self, name: Queue) -> Crew:
        """What an invocation of the step that drains this queue does with rewards."""
        self.invocations += 1
        is_of_points = name == "grant_points_low"
        guard = Guard("points" if is_of_points else "coupons", self.breakers, lambda: self.now)
        give = guard.telling(giving_points(self.points) if is_of_points else giving_coupons(self.coupons))
        worker = Worker(name, f"invocation-{self.invocations}", self.now, LEASE, PATIENCE, STOCK_PATIENCE)
        recycles = RewardQueue(RECYCLES, self.queue)

        def grant_some(ids: Sequence[RewardId]) -> Outcomes:
            works = {id: grant(id, give, recycles, worker=worker, timetable=TIMETABLE) for id in ids}
            return pooled(works, self.ledger)

        return guard.heeding(grant_some, give.together)

    def _plan(self) -> None:
        windows = MemoryWindows()
        plan(
            Run("reward", self.now), self._control, windows,
            now=self.now, period=HOUR, shards=TIMETABLE.shards, spread=NO_TIME,
        )  # fmt: skip
        for window, _ in windows.take():
            dispatch(
                window, MemoryDueIndex(self.ledger), self.queue, self.lists, windows,
                shut=shut(self.breakers), out_of_time=lambda: False,
            )  # fmt: skip
        self.at(self.now + HOUR, self._plan)

    def _sweep(self) -> None:
        sweep(
            "reward", MemoryDueIndex(self.ledger), self._control, self.queue, self.lists,
            shut=shut(self.breakers), now=self.now, grace=HOUR / 2, limit=self._sweep_limit,
            shards=TIMETABLE.shards, period=HOUR,
        )  # fmt: skip
        self.at(self.now + timedelta(minutes=10), self._sweep)
