"""Deciding: which promotions an order falls under, once for each, and what its row is before it is paid or placed.

A promotion that lets orders hold a place from when they are placed is decided then, every other one at the payment.
Matching looks at the order as placed; what came back since only lowers what it earns.
"""

from collections.abc import Collection, Iterable
from typing import Protocol

from msgspec.structs import replace

from rewards.entitlement import entitled
from rewards.errors import Invalid
from rewards.ledger import Ledger
from rewards.matching import eligible_lines, is_running, mismatch
from rewards.order import Order, OrderId
from rewards.promotion import Promotion
from rewards.quota import SHARDS, Limits, NoPlace, vacancy
from rewards.reward import Place, Reward, RewardId
from rewards.sharding import shard_of
from rewards.status import Status

MATCHES_MAX = 30  # contract §2; with the order and its places they still fit one transaction
MATCHED = "matched"


class Promotions(Protocol):
    """The promotions that shops have stored."""

    def of_shop(self, shop_id: str) -> list[Promotion]: ...


class Places:
    """Free places for an order, as far as can be seen; `limits` are those of the places it was given, by promotion.

    Every try begins at another shard: two orders that met on one may not meet again.
    """

    def __init__(self, ledger: Ledger, order: OrderId, attempt: int) -> None:
        self._ledger = ledger
        self._first = shard_of(*order, str(attempt), count=SHARDS)
        self.limits: dict[str, Limits] = {}

    def find(self, promotion: Promotion, member_id: str) -> Place | NoPlace | None:
        """None where the promotion has a place for everyone."""
        if promotion.quota is None:
            return None
        found = vacancy(promotion.quota, self._ledger.used(promotion, member_id), first=self._first)
        if isinstance(found, NoPlace):
            return found
        self.limits[promotion.promotion_id] = found.limits
        return found.place


def carried_on(told: Order, known: Order | None) -> Order:
    """The next version of the order: as an event tells it, with what is known of it beside that.

    Raises `Invalid` where its currency is not the one the order was placed in. A return in another one that came before
    the order is not counted (`Order.counted_returns`): the order that events come in must not decide.
    """
    if known is None:
        return replace(told, version=1)
    if known.currency and known.currency != told.currency:
        raise Invalid("order.currency", f"{told.currency!r}, but the order is known in {known.currency}")
    return replace(
        told,
        placed_at=known.placed_at,
        shipped_at=known.shipped_at,
        returns=known.returns,
        decisions=known.decisions,
        version=known.version + 1,
    )


def matched(order: Order, promotions: Iterable[Promotion], rows: Collection[Reward] = ()) -> tuple[Order, list[Reward]]:
    """The order with why each promotion did or did not match, and a draft of the row of each that did.

    What was decided before, and has its `rows`, is kept as it is. Promotions of another time are not even mentioned:
    with the years they would fill the order. An order that earned nothing from the start does not match: a row is
    written only where something was owed.
    """
    decisions, drafts = dict(order.decisions), list[Reward]()
    for promotion in sorted(promotions, key=lambda promotion: promotion.promotion_id):
        if promotion.promotion_id in order.decisions or not is_running(promotion, order):
            continue
        reason = mismatch(promotion, order) or _worthless(promotion, order)
        if reason is None and len(rows) + len(drafts) == MATCHES_MAX:
            reason = f"{MATCHES_MAX} promotions match already"
        if reason is None:
            drafts.append(_draft(promotion, order))
        decisions[promotion.promotion_id] = reason or MATCHED
    return replace(order, decisions=decisions), drafts


def _worthless(promotion: Promotion, order: Order) -> str | None:
    earned = entitled(promotion.rule, replace(order, returns={}), eligible_lines(promotion, order))
    return None if earned.points else f"the lines that count come to {earned.base_amount}, which earns nothing"


def _draft(promotion: Promotion, order: Order) -> Reward:
    """The row before its first version, which owes nothing and holds no place yet. The rule is copied here, once."""
    assert order.member_id  # noqa: S101 - nothing matches without these three
    assert order.source  # noqa: S101
    assert order.ordered_at  # noqa: S101
    return Reward(
        id=RewardId(*order.id, promotion.promotion_id),
        member_id=order.member_id,
        status=Status.CANCEL,
        reward_type=promotion.rule.reward_type,
        source=order.source,
        ordered_at=order.ordered_at,
        rule=promotion.rule,
        lines=eligible_lines(promotion, order),
        update_reason="",
        changed_by="",
        changed_at=order.ordered_at,
        version=0,
        changed_version=0,
    )
