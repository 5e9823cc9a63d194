"""A shop in which everything happens at once: the domain in memory, its workers in the middle of what they do."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rewards.ledger import Contended
from rewards.order import Order, OrderId
from rewards.promotion import Promotion, Rule
from rewards.provider import Done, Member, NotNow, PointsGrant, Refused, Unknown
from rewards.redriving import redrive
from rewards.reward import Reward, RewardId
from rewards.status import Status
from tests.fakes.coupons import MemoryCoupons
from tests.fakes.ledger import MemoryLedger
from tests.fakes.points import MemoryPoints
from tests.fakes.world import LATER, TIMETABLE, Event, World
from tests.interleaved.workers import Port, Worker

ROUNDS = 3
"""A coupon that was out of stock is asked for anew in the next; one that was parked for it, in the one after."""

STEPS = {Status.OCCUPY: "expire", Status.WAIT: "grant", Status.REWARD: "recycle"}


class Work(NamedTuple):
    """What a worker is started on: an event, a step for a reward, or a step for several rewards in one pool."""

    event: Event | None = None
    step: str = ""
    id: RewardId | None = None
    pool: tuple[RewardId, ...] = ()


class LedgerPort(Port):
    """Rows that are asked for together are no transaction: anything may happen between any two of them."""

    def each_order(self, ids: Sequence[OrderId]) -> list[Order | None]:
        return [self.order(id) for id in ids]

    def each_reward(self, ids: Sequence[RewardId]) -> list[Reward | None]:
        return [self.reward(id) for id in ids]

    def write_each(self, changes: Sequence[tuple[Reward, Reward]]) -> list[bool]:
        return [self.write_reward(before, after) for before, after in changes]


class PointsPort(Port):
    """Nor are grants."""

    def grant_all(self, grants: Sequence[PointsGrant]) -> list[Any]:
        return [self.grant(grant) for grant in grants]


class WitnessedLedger(MemoryLedger):
    """A ledger that holds every write to the one rule of writing."""

    def _write(self, before: Reward | None, after: Reward) -> None:
        stored = self.rows.get(after.id)
        assert after.version == (stored.version if stored else 0) + 1, "every write raises the version by one"
        super()._write(before, after)


class FinalPoints(MemoryPoints):
    """A provider that also refuses for good: its first final answer for a key stands, whatever it was."""

    def __init__(self) -> None:
        super().__init__()
        self._refused: dict[str, Refused] = {}

    def grant(self, grant: PointsGrant) -> Done | Refused | NotNow | Unknown:
        return self._finally(grant.key, lambda: MemoryPoints.grant(self, grant))

    def reclaim(
        self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool
    ) -> Done | Refused | NotNow | Unknown:
        return self._finally(
            key, lambda: MemoryPoints.reclaim(self, key, grant_key, member, points, allow_debt=allow_debt)
        )

    def _finally(
        self, key: str, ask: Callable[[], Done | Refused | NotNow | Unknown]
    ) -> Done | Refused | NotNow | Unknown:
        if key in self._refused:
            return self._refused[key]
        if key in self.entries:
            self.instead = [answer for answer in self.instead if not isinstance(answer, Refused | NotNow)]
        answer = ask()
        if isinstance(answer, Refused):
            self._refused[key] = answer
        return answer


class Shop:
    """What was told is told again until somebody has worked it through; a task may get lost, since what is owed stands
    in the due index.
    """

    def __init__(self, *promotions: Promotion) -> None:
        self.ledger, self.points, self.coupons = WitnessedLedger(), FinalPoints(), MemoryCoupons()
        self.rules: list[Rule] = []
        self.told: list[Event] = []
        self.workers: list[Worker] = []
        self.world = World()
        ports = {"ledger": LedgerPort(self.ledger), "points": PointsPort(self.points), "coupons": Port(self.coupons)}
        for name, port in ports.items():
            setattr(self.world, name, port)
        for name in ("promotions", "grants", "recycles", "timers"):
            setattr(self.world, name, Port(getattr(self.world, name)))
        self._unworked: list[Event] = []
        for promotion in promotions:
            self.store(promotion)

    @property
    def rows(self) -> list[Reward]:
        return list(self.ledger.rows.values())

    @property
    def parked(self) -> list[RewardId]:
        return [row.id for row in self.rows if row.held and row.held.is_parked]

    def store(self, promotion: Promotion) -> None:
        """Also anew, with another rule: what was booked keeps its copy."""
        self.rules.append(promotion.rule)
        self.world.promotions.stored[promotion.promotion_id] = promotion

    def tell(self, event: Event) -> None:
        self.told.append(event)
        self._unworked.append(event)

    def to_do(self) -> list[Work]:
        """Every event that ever came, tasks in the queues, whatever stands in the index, and what a person looks at."""
        queues = (("grant", self.world.grants), ("recycle", self.world.recycles))
        tasks = [Work(step=step, id=id) for step, queue in queues for task in queue.waiting for id in task.rewards()]
        due = [Work(step=STEPS[row.status], id=row.id) for row in self.rows if row.due]
        parked = [Work(step="redrive", id=id) for id in self.parked]
        return [*(Work(event=event) for event in self.told), *tasks, *due, *self._pools(), *parked]

    def _pools(self) -> list[Work]:
        """All points that are to be granted, and all that are to be taken back, each in one pool."""
        due = [row for row in self.rows if row.due and row.reward_type == "LoyaltyPoints"]
        pools = {
            "grant_together": tuple(row.id for row in due if row.status is Status.WAIT),
            "recycle_together": tuple(row.id for row in due if row.status is Status.REWARD),
        }
        return [Work(step=step, pool=pool) for step, pool in pools.items() if len(pool) > 1]

    def start(self, work: Work) -> None:
        self.workers.append(Worker(work, lambda: self._do(work)))

    def go_on(self, worker: Worker, calls: int) -> None:
        for _ in range(calls):
            if not worker.is_done:
                worker.step()
        if worker.is_done:
            self._end(worker)

    def die(self, worker: Worker) -> None:
        worker.die()
        self.workers.remove(worker)

    def lose_tasks(self) -> None:
        self.world.grants.waiting, self.world.recycles.waiting = [], []

    def come_to_rest(self) -> None:
        """Whoever is at work comes to an end, every event is worked through, and all that is due is done."""
        for worker in [*self.workers]:
            worker.run()
            self._end(worker)
        self.points.instead.clear()
        for event in self._unworked:
            self.world.tell(event)
        for _ in range(ROUNDS):
            for id in self.parked:
                self._redrive(id)
            self.world.run(until=self.world.now + LATER)

    def _do(self, work: Work) -> object:
        if work.event:
            return self.world.tell(work.event)
        if work.pool:
            return self._pooled(work)
        assert work.id
        return self._redrive(work.id) if work.step == "redrive" else getattr(self.world, work.step)(work.id)

    def _pooled(self, work: Work) -> None:
        for ended in getattr(self.world, work.step)(work.pool).values():
            if isinstance(ended, Exception) and not isinstance(ended, Contended):
                raise ended

    def _redrive(self, id: RewardId) -> bool:
        world = self.world
        return redrive(id, world.ledger, lambda _: world.recycles, by="a person", timetable=TIMETABLE, now=world.now)

    def _end(self, worker: Worker) -> None:
        """What was worked through need not come again, though it may."""
        self.workers.remove(worker)
        if worker.failed is None and worker.message.event in self._unworked:
            self._unworked.remove(worker.message.event)
        if worker.failed and not isinstance(worker.failed, Contended):
            raise worker.failed
