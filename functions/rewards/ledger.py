"""The ledger: the port to the table that holds every order's rewards, and the one rule of writing to it.

Every write is conditional on the version that was read and raises it by one, claims included. So a row that is written
is exactly the row that was judged, whatever else happened meanwhile: between a claim and its settling, an unchanged
version means the token is still mine and no return came. A write that finds another version changes nothing and says
so; the caller reads again and decides again, or has lost a race.

A row holds its place of a quota itself, and the counts of places follow it: in the transaction that writes a row whose
place has appeared it is taken, in the one that writes it without, given back. So it is taken once and given back once.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from rewards.order import Order, OrderId
from rewards.promotion import Promotion
from rewards.quota import Limits, Used
from rewards.reward import Reward, RewardId

DECISIONS_MAX = 10
TAKES_NO_PLACE: Mapping[str, Limits] = MappingProxyType({})


class Contended(Exception):
    """Others kept writing what this message wants to write; it comes back later."""


class Ledger(Protocol):
    """Reads are strongly consistent. Writes answer True (done, or done before and the reply was lost) or False."""

    def order(self, id: OrderId) -> Order | None: ...

    def reward(self, id: RewardId) -> Reward | None: ...

    def rewards(self, id: OrderId) -> list[Reward]:
        """All reward rows of an order, by promotion."""

    def used(self, promotion: Promotion, member_id: str) -> Used:
        """How many places of the promotion's quota are taken."""

    def write_order(self, before: Order | None, after: Order) -> bool: ...

    def write_reward(self, before: Reward, after: Reward) -> bool: ...

    def each_order(self, ids: Sequence[OrderId]) -> Sequence[Order | Exception | None]:
        """Many at once, each for itself: one that cannot be read is answered with what reading it alone raises."""

    def each_reward(self, ids: Sequence[RewardId]) -> Sequence[Reward | Exception | None]: ...

    def write_each(self, changes: Sequence[tuple[Reward, Reward]]) -> Sequence[bool | Exception]:
        """Many rewards at once, no two the same, and each by itself: what becomes of one says nothing of another."""

    def decide(
        self,
        before: Order | None,
        after: Order,
        rewards: list[tuple[Reward | None, Reward]],
        limits: Mapping[str, Limits] = TAKES_NO_PLACE,
    ) -> bool:
        """Order and rewards in one transaction: all of it, or nothing.

        `limits`, by promotion, are those of the places that the rewards take; False too if one is taken meanwhile.
        """


def order_of(row: Reward, ledger: Ledger) -> Order:
    """The order that a reward was written with. Raises LookupError if there is none: nothing is judged by nothing."""
    order = ledger.order(row.id.order)
    if order is None:
        raise LookupError(f"reward {row.id} has no order")
    return order
