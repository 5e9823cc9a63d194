"""Orders, promotions and rewards that say only what matters to the case; the rest is ordinary.

The ordinary order is TG20193021, which member M1 of shop 1 made in the online shop for TWD 1,000 at noon of 3 November
2026 in Taipei. Promotion 28343 gives 5 % of it seven days later; by NOW, noon of that day, the reward is due.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from rewards.due import due_keys
from rewards.history import HistoryItem
from rewards.order import Line, Order, OrderId, Return, ReturnedLine
from rewards.promotion import Benefit, Days, Eligibility, LoyaltyPoints, Promotion, Tier
from rewards.reward import Due, Reward, RewardId
from rewards.status import Status

NOW = datetime(2026, 11, 10, 4, 0, tzinfo=UTC)
ORDERED_AT = datetime(2026, 11, 3, 4, 0, tzinfo=UTC)
FIVE_PERCENT = LoyaltyPoints(rate=Decimal("0.05"))


def a_line(line: str = "L1", amount: str | int = "1000", *, quantity: int = 1, **fields: Any) -> Line:
    return Line(**{"line": line, "sku": f"SKU-{line}", "quantity": quantity, "amount": Decimal(amount)} | fields)


def an_order(lines: int | Sequence[Line] = 1, *, order_group: str = "TG20193021", **fields: Any) -> Order:
    """An order as placed; a number of lines makes that many of 1,000 each, L1, L2 and so on."""
    if isinstance(lines, int):
        lines = [a_line(f"L{number}") for number in range(1, lines + 1)]
    ordinary = {"member_id": "M1", "source": "ECom", "currency": "TWD", "ordered_at": ORDERED_AT}
    return Order(**ordinary | {"id": OrderId("1", order_group), "lines": tuple(lines)} | fields)


def a_paid_order(lines: int | Sequence[Line] = 1, **fields: Any) -> Order:
    """An order that is paid at once, as the ledger has it after booking."""
    return an_order(lines, **{"paid_at": ORDERED_AT, "paid_by": "paid-1", "version": 1} | fields)


def a_return(lines: str | Sequence[ReturnedLine] = "all", **fields: Any) -> Return:
    return Return(**{"lines": lines if lines == "all" else tuple(lines), "occurred_at": ORDERED_AT} | fields)


def with_returns(order: Order, *told: Return) -> Order:
    """The order after these returns, R0, R1 and so on."""
    return replace(order, returns={f"R{number}": each for number, each in enumerate(told)})


def a_promotion(
    reward: Benefit = FIVE_PERCENT, *, promotion_id: str = "28343", days: int = 7, **fields: Any
) -> Promotion:
    """Valid through November 2026 in Taipei; what is given of `Eligibility` goes there."""
    eligible = {name: fields.pop(name) for name in Eligibility.__struct_fields__ if name in fields}
    ordinary = {
        "shop_id": "1",
        "name": "Spend and earn",
        "currency": "TWD",
        "starts_at": datetime(2026, 10, 31, 16, tzinfo=UTC),
        "ends_at": datetime(2026, 11, 30, 16, tzinfo=UTC),
        "eligible": Eligibility(**eligible),
        "timing": Days(days),
    }
    return Promotion(**ordinary | {"promotion_id": promotion_id, "reward": reward} | fields)


def tiers(*steps: tuple[int, int | str], **fields: Any) -> LoyaltyPoints:
    """Points (a number) or a rate (a string) from each sum on."""
    return LoyaltyPoints(
        tiers=tuple(
            Tier(Decimal(start), points=gives) if isinstance(gives, int) else Tier(Decimal(start), rate=Decimal(gives))
            for start, gives in steps
        ),
        **fields,
    )


def a_reward(
    status: Status | str = Status.WAIT, *, order_group: str = "TG20193021", promotion_id: str = "28343", **fields: Any
) -> Reward:
    """A row of 50 points; while it waits it stands in the due index, and once granted it says so."""
    ordinary = {
        "id": RewardId("1", order_group, promotion_id),
        "member_id": "M1",
        "reward_type": "LoyaltyPoints",
        "source": "ECom",
        "ordered_at": ORDERED_AT,
        "booking_time": datetime(2026, 11, 9, 18, tzinfo=UTC),
        "rule": a_promotion().rule,
        "base_amount": Decimal(1000),
        "points": 50,
        "is_reward": status == Status.REWARD,
        "update_reason": "paid",
        "changed_by": "book",
        "changed_at": ORDERED_AT,
        "version": 1,
        "changed_version": 1,
    }
    reward = Reward(**ordinary | {"status": Status(status)} | fields)
    return replace(reward, due=its_due_keys(reward)) if status == Status.WAIT and "due" not in fields else reward


def a_change(version: int, minutes: int, promotion_id: str = "P1") -> HistoryItem:
    """A change of some reward of order TG1, so many minutes after now."""
    return HistoryItem(
        id=RewardId("1", "TG1", promotion_id),
        version=version,
        after=Status.WAIT,
        reason="paid",
        actor="book",
        at=NOW + timedelta(minutes=minutes),
    )


def its_due_keys(reward: Reward) -> Due:
    return due_keys(
        "reward",
        reward.booking_time,
        reward.changed_at,
        reward.id,
        reward.member_id,
        reward.ordered_at,
        shards=16,
        period=timedelta(hours=1),
    )


def a_written_promotion(**fields: Any) -> dict[str, Any]:
    """A promotion as a shop writes it, the contract's own example; a field given as None is left out."""
    ordinary = {
        "promotion_id": "28343",
        "shop_id": "1",
        "name": "Spend 1,000 get 5%",
        "type": "Reward",
        "currency": "TWD",
        "starts_at": "2026-11-01T00:00:00+08:00",
        "ends_at": "2026-12-01T00:00:00+08:00",
        "eligible": {"sources": ["ECom"], "min_amount": "1000", "skus": [], "categories": [], "exclude_skus": []},
        "reward": {"type": "LoyaltyPoints", "rate": "0.05", "rounding": "floor", "max_points": 500},
        "timing": {"type": "Days", "days": 7, "basis": "ordered"},
        "on_shortfall": "clamp",
    }
    return {name: value for name, value in (ordinary | fields).items() if value is not None}
