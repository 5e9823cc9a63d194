"""A ledger with rows that are overdue, and the sweep over it."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from msgspec.structs import replace

from rewards.due import due_keys
from rewards.reward import Reward
from rewards.sharding import shard_of
from rewards.sweeping import StoodBack, Swept, sweep
from rewards.tasks import Kind
from tests.builders import a_reward
from tests.fakes.control import MemoryControl
from tests.fakes.due_index import MemoryDueIndex
from tests.fakes.ledger import MemoryLedger
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueues, rewards_in

HOUR = timedelta(hours=1)
GRACE = timedelta(minutes=30)
SHARDS = 4
FOUR_PM = datetime(2026, 12, 1, 16, tzinfo=UTC)


class Stack:
    """A ledger with rows that wait, and the sweep over it."""

    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self.control = MemoryControl()
        self.queues = MemoryQueues()
        self.lists = MemoryLists()
        self.shut: set[str] = set()

    def add(
        self, order_group: str, at: datetime, *, kind: Kind = "reward", member_id: str = "M1", **fields: Any
    ) -> Reward:
        row = a_reward(order_group=order_group, member_id=member_id, booking_time=at, due=None, **fields)
        due = due_keys(kind, at, at, row.id, member_id, row.ordered_at, shards=SHARDS, period=HOUR)
        self.ledger.rows[row.id] = replace(row, due=due)
        return self.ledger.rows[row.id]

    def settle(self, row: Reward) -> None:
        self.ledger.rows[row.id] = replace(row, due=None)

    def sweep(self, now: datetime, *, kind: Kind = "reward", limit: int = 1_000) -> Swept | StoodBack:
        return sweep(
            kind, MemoryDueIndex(self.ledger), self.control, self.queues, self.lists,
            shut=self.shut, now=now, grace=GRACE, limit=limit, shards=SHARDS, period=HOUR,
        )  # fmt: skip

    def taken(self, queue: str = "grant_points_low") -> list[str]:
        return [reward.order_group for reward in rewards_in(self.queues(queue).take(), self.lists)]


def a_member_of(shard: int) -> str:
    """A member whose rewards under promotion 28343 stand in this shard."""
    return next(f"M{number}" for number in count() if shard_of("1", f"M{number}", "28343", count=SHARDS) == shard)
