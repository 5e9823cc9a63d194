"""The whole domain with everything it talks to in memory, and a clock that only moves when told.

`run` stands for the queues, the dispatcher and the sweep together: messages are worked, and whatever is due in the
index is worked even if its message was lost, since all that is owed stands there.
"""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from itertools import count
from zoneinfo import ZoneInfo

from rewards.booking import book
from rewards.booking_time import Buckets
from rewards.claiming import Worker
from rewards.crm_orders import CrmOrder
from rewards.due import parse
from rewards.events import OrderPlaced, OrderReversed, OrderShipped, PaymentCompleted, PaymentFailed
from rewards.expiring import expire
from rewards.granting import giving_coupons, giving_points, grant
from rewards.guard import Outcomes
from rewards.occupying import occupy
from rewards.offline import take_in
from rewards.outcomes import OfOrder, OfReward
from rewards.pooling import alone, pooled
from rewards.promotion import Promotion
from rewards.rebooking import rebook
from rewards.recycling import recycle, taking_back_coupons, taking_back_points
from rewards.reward import RewardId
from rewards.routing import AT_ONCE, RECYCLES, RewardQueue
from rewards.status import Status
from rewards.tasks import Task, Timer
from rewards.timetable import Timetable
from rewards.withdrawal import withdraw
from tests.builders import ORDERED_AT
from tests.fakes.coupons import MemoryCoupons
from tests.fakes.ledger import MemoryLedger
from tests.fakes.points import MemoryPoints

TIMETABLE = Timetable(
    ZoneInfo("Asia/Taipei"),
    Buckets(3, 0),
    timedelta(hours=1),
    shards=16,
    retry_hours=(10, 22),
    recycles_at=time(10, 30),
)
LEASE = timedelta(minutes=2)
LATER = timedelta(days=30)
Event = OrderPlaced | PaymentCompleted | OrderShipped | PaymentFailed | OrderReversed
PATIENCE = timedelta(hours=72)
STOCK_PATIENCE = timedelta(days=14)


class MemoryPromotions:
    def __init__(self, *promotions: Promotion) -> None:
        self.stored = {promotion.promotion_id: promotion for promotion in promotions}

    def of_shop(self, shop_id: str) -> list[Promotion]:
        return [promotion for promotion in self.stored.values() if promotion.shop_id == shop_id]


class MemoryTasks:
    """A queue of tasks. One that loses everything shows what the due index alone carries."""

    def __init__(self, *, loses: bool = False) -> None:
        self.waiting: list[Task] = []
        self._loses = loses

    def send(self, tasks: list[Task]) -> None:
        if not self._loses:
            self.waiting += tasks


class MemoryTimers:
    """A queue of timers. What they are for stands in the due index too, so they may be lost."""

    def __init__(self) -> None:
        self.waiting: list[Timer] = []

    def send(self, timers: list[Timer]) -> None:
        assert all(timedelta() <= timer.delay <= timedelta(minutes=15) for timer in timers), "SQS would not take it"
        self.waiting += timers


class World:
    def __init__(self, *promotions: Promotion, now: datetime = ORDERED_AT, loses_messages: bool = False) -> None:
        self.now = now
        self.ledger = MemoryLedger()
        self.promotions = MemoryPromotions(*promotions)
        self.points = MemoryPoints()
        self.coupons = MemoryCoupons()
        self.grants = MemoryTasks(loses=loses_messages)
        self.recycles = MemoryTasks(loses=loses_messages)
        self.timers = MemoryTimers()
        self._at_once = RewardQueue(AT_ONCE, lambda _: self.grants)
        self._to_recycle = RewardQueue(RECYCLES, lambda _: self.recycles)
        self._invocations = count(1)

    def tell(self, event: Event) -> list[OfOrder | OfReward]:
        if isinstance(event, OrderPlaced):
            return occupy(event, self.ledger, self.promotions, self.timers, timetable=TIMETABLE, now=self.now)
        if isinstance(event, PaymentCompleted):
            return book(event, self.ledger, self.promotions, self._at_once, timetable=TIMETABLE, now=self.now)
        if isinstance(event, OrderShipped):
            return rebook(event, self.ledger, self._at_once, timetable=TIMETABLE, now=self.now)
        return withdraw(event, self.ledger, self._to_recycle, timetable=TIMETABLE, now=self.now)

    def take_in(self, *orders: CrmOrder) -> list[OfOrder | OfReward]:
        """Orders of a file of shop 1, as `match` gets them."""
        where = (self.ledger, self.promotions, self._at_once, self._to_recycle)
        told = [take_in(order, "1", *where, timetable=TIMETABLE, now=self.now) for order in orders]
        return [outcome for outcomes in told for outcome in outcomes]

    def worker(self, step: str) -> Worker:
        token = f"invocation-{next(self._invocations)}"
        return Worker(step, token, self.now, LEASE, PATIENCE, STOCK_PATIENCE)

    def grant(self, id: RewardId) -> OfReward:
        step, give = "grant_points", giving_points(self.points)
        if self._is_of_coupons(id):
            step, give = "grant_coupon", giving_coupons(self.coupons)
        work = grant(id, give, self._to_recycle, worker=self.worker(step), timetable=TIMETABLE)
        return alone(work, self.ledger)

    def grant_together(self, ids: Sequence[RewardId]) -> Outcomes:
        """By one worker of points, in one pool."""
        give, worker = giving_points(self.points), self.worker("grant_points")
        works = {id: grant(id, give, self._to_recycle, worker=worker, timetable=TIMETABLE) for id in ids}
        return pooled(works, self.ledger)

    def recycle_together(self, ids: Sequence[RewardId]) -> Outcomes:
        take_back, worker = taking_back_points(self.points), self.worker("recycle_points")
        works = {id: recycle(id, take_back, self._to_recycle, worker=worker, timetable=TIMETABLE) for id in ids}
        return pooled(works, self.ledger)

    def expire(self, id: RewardId) -> OfReward:
        return expire(id, self.ledger, self.timers, now=self.now)

    def recycle(self, id: RewardId) -> OfReward:
        step, take_back = "recycle_points", taking_back_points(self.points)
        if self._is_of_coupons(id):
            step, take_back = "recycle_coupon", taking_back_coupons(self.coupons)
        work = recycle(id, take_back, self._to_recycle, worker=self.worker(step), timetable=TIMETABLE)
        return alone(work, self.ledger)

    def run(self, until: datetime | None = None) -> None:
        """Move the clock, then work until nothing is due."""
        self.now = max(self.now, until or self.now)
        while work := self._messages() or self._due():
            for step, id in work:
                step(id)

    def _is_of_coupons(self, id: RewardId) -> bool:
        row = self.ledger.reward(id)
        return row is not None and row.reward_type == "ECoupon"

    def _messages(self) -> list:
        taken = [(self.grant, self.grants), (self.recycle, self.recycles)]
        work = [(step, id) for step, queue in taken for task in queue.waiting for id in task.rewards()]
        self.grants.waiting, self.recycles.waiting = [], []
        return work

    def _due(self) -> list:
        due = [row for row in self.ledger.rows.values() if row.due and not row.is_locked(self.now)]
        grants = [
            (self.grant, row.id)
            for row in due
            if row.status is Status.WAIT and (row.booking_time or self.now) <= self.now
        ]
        unpaid = [(self.expire, row.id) for row in due if row.unpaid_until and row.unpaid_until <= self.now]
        latest = TIMETABLE.slot("recycle", self.now)
        to_recycle = [row for row in due if row.status is Status.REWARD and parse(row.due.sort).slot <= latest]
        return grants + unpaid + [(self.recycle, row.id) for row in to_recycle]
