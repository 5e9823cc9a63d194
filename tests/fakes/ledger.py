"""The ledger in memory, with the same rule of writing: only over the version that was read."""

from rewards.order import Order, OrderId
from rewards.reward import Reward, RewardId


class MemoryLedger:
    def __init__(self) -> None:
        self.orders: dict[OrderId, Order] = {}
        self.rows: dict[RewardId, Reward] = {}

    def order(self, id: OrderId) -> Order | None:
        return self.orders.get(id)

    def reward(self, id: RewardId) -> Reward | None:
        return self.rows.get(id)

    def rewards(self, id: OrderId) -> list[Reward]:
        return [row for key, row in sorted(self.rows.items()) if key.order == id]

    def write_order(self, before: Order | None, after: Order) -> bool:
        if self._fits(self.orders.get(after.id), before):
            self.orders[after.id] = after
        return self.orders[after.id] == after

    def write_reward(self, before: Reward, after: Reward) -> bool:
        if self._fits(self.rows.get(after.id), before):
            self.rows[after.id] = after
        return self.rows.get(after.id) == after

    def decide(self, before: Order | None, after: Order, rewards: list[tuple[Reward | None, Reward]]) -> bool:
        stand = [(self.orders.get(after.id), before), *((self.rows.get(new.id), old) for old, new in rewards)]
        if all(self._fits(stored, read) for stored, read in stand):
            self.orders[after.id] = after
            self.rows.update({new.id: new for _, new in rewards})
        return self.orders.get(after.id) == after

    @staticmethod
    def _fits(stored: Order | Reward | None, read: Order | Reward | None) -> bool:
        return (stored and stored.version) == (read and read.version)
