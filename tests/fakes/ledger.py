"""The ledger in memory, with the same rule of writing: only over the version that was read, and within the quotas."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rewards.auditing.writes import Write
from rewards.ledger import TAKES_NO_PLACE
from rewards.order import Order, OrderId
from rewards.promotion import Promotion
from rewards.quota import SHARDS, Limits, Used
from rewards.reward import Place, Reward, RewardId

Count = tuple[str, str, str | int]
"""A shop, its promotion, and the member or the shard that is counted."""


class MemoryLedger:
    def __init__(self) -> None:
        self.orders: dict[OrderId, Order] = {}
        self.rows: dict[RewardId, Reward] = {}
        self.taken: Counter[Count] = Counter()
        self.writes: list[Write] = []

    def order(self, id: OrderId) -> Order | None:
        return self.orders.get(id)

    def reward(self, id: RewardId) -> Reward | None:
        return self.rows.get(id)

    def rewards(self, id: OrderId) -> list[Reward]:
        return [row for key, row in sorted(self.rows.items()) if key.order == id]

    def used(self, promotion: Promotion, member_id: str) -> Used:
        id, quota = (promotion.shop_id, promotion.promotion_id), promotion.quota
        shards = tuple(self.taken[(*id, shard)] for shard in range(SHARDS)) if quota and quota.total else ()
        return Used(shards, self.taken[(*id, member_id)] if quota and quota.per_member else 0)

    def write_order(self, before: Order | None, after: Order) -> bool:
        if self._fits(self.orders.get(after.id), before):
            self.orders[after.id] = after
        return self.orders[after.id] == after

    def write_reward(self, before: Reward, after: Reward) -> bool:
        if self._fits(self.rows.get(after.id), before):
            self._write(before, after)
        return self.rows.get(after.id) == after

    def each_order(self, ids: Sequence[OrderId]) -> list[Order | None]:
        return [self.order(id) for id in ids]

    def each_reward(self, ids: Sequence[RewardId]) -> list[Reward | None]:
        return [self.reward(id) for id in ids]

    def write_each(self, changes: Sequence[tuple[Reward, Reward]]) -> list[bool]:
        return [self.write_reward(before, after) for before, after in changes]

    def decide(
        self,
        before: Order | None,
        after: Order,
        rewards: list[tuple[Reward | None, Reward]],
        limits: Mapping[str, Limits] = TAKES_NO_PLACE,
    ) -> bool:
        stand = [(self.orders.get(after.id), before), *((self.rows.get(new.id), old) for old, new in rewards)]
        taking = [(new, limits[new.id.promotion_id]) for old, new in rewards if new.place and not (old and old.place)]
        if all(self._fits(stored, read) for stored, read in stand) and all(self._has_room(*each) for each in taking):
            self.orders[after.id] = after
            for old, new in rewards:
                self._write(old, new)
        return self.orders.get(after.id) == after

    def _write(self, before: Reward | None, after: Reward) -> None:
        self.writes.append(Write(self.rows.get(after.id), after))
        self.rows[after.id] = after
        if before and before.place and not after.place:
            self.taken.subtract(_counts_of(before, Limits()).keys())
        if after.place and not (before and before.place):
            self.taken.update(_counts_of(after, Limits()).keys())

    def _has_room(self, row: Reward, limits: Limits) -> bool:
        return all(self.taken[count] < (limit or 0) for count, limit in _counts_of(row, limits).items())

    @staticmethod
    def _fits(stored: Order | Reward | None, read: Order | Reward | None) -> bool:
        return (stored and stored.version) == (read and read.version)


def _counts_of(row: Reward, limits: Limits) -> dict[Count, int | None]:
    """The counts that the row's place is in, and how far each may go."""
    id, place = (row.id.shop_id, row.id.promotion_id), row.place or Place()
    shard = {(*id, place.shard): limits.shard} if place.shard is not None else {}
    member = {(*id, row.member_id): limits.member} if place.of_member else {}
    return shard | member
