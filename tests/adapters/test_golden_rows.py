"""Rows live for months and outlast releases: `tests/golden/rows` keeps items of each version as DynamoDB holds them."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from adapters.items import ROW_VERSION, order_item, order_of, reward_item, reward_of
from rewards.errors import TooNew
from rewards.order import Order, OrderId, ReturnedLine
from rewards.promotion import Days, ECoupon, LoyaltyPoints, Rule
from rewards.reward import Due, Held, Lock, Place, Reward, RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_line, a_paid_order, a_return, a_reward, tiers

GOLDEN = Path(__file__).parent.parent / "golden" / "rows"
LATER = datetime(2026, 11, 10, 18, 1, 2, 345678, tzinfo=UTC)

ORDERS: dict[str, Order] = {
    "Order.v1": a_paid_order(
        [a_line("TS#1", "999.90", quantity=3, categories=("Shoes", "特價")), a_line("TS2", "590")],
        id=OrderId("1#甲", "TG~20193021"),
        placed_at=ORDERED_AT,
        shipped_at=LATER,
        returns={
            "R1": a_return([ReturnedLine("TS#1", 1, Decimal("333.30"))], currency="TWD", member_id="M2"),
            "R2": a_return(),
        },
        decisions={"28343": "matched", "other": "orders from ECom do not count"},
        version=5,
    ),
    "Order.tombstone.v1": Order(id=OrderId("1", "TG1"), returns={"R1": a_return()}, version=1),
}
REWARDS: dict[str, Reward] = {
    "Reward.waiting.v1": a_reward(
        due=Due("reward#2026-11-09#07", "2026-11-09T18:00Z#1#M1#28343#2026-11-03T04:00:00.000000Z#TG20193021"),
        place=Place(shard=3, of_member=True),
        lines=("L1",),
    ),
    "Reward.claimed.v1": a_reward(
        lock=Lock(token="t", until=LATER, action="grant", key="1#TG20193021#28343#grant#0", amount=50, member_id="M1"),
        return_pending=True,
        version=4,
    ),
    "Reward.recycled.v1": a_reward(
        Status.REWARD,
        rule=Rule(
            tiers((1000, 50), (5000, "0.01"), rounding="half_up", max_points=500), Days(7, "paid"), Decimal(1000)
        ),
        granted_at=LATER,
        is_recycle=True,
        recycle_points=20,
        shortfall=5,
        recycle_seq=2,
        update_reason="recycled as far as the balance went",
        version=9,
        changed_version=9,
    ),
    "Reward.coupon.v1": a_reward(
        id=RewardId("1", "TG20193021", "coupon"),
        reward_type="ECoupon",
        rule=Rule(ECoupon("TEA", quantity=2), Days(3, "shipped", "ordered"), on_shortfall="debt"),
        booking_time=None,
        points=2,
        codes=("AB", "CD"),
        revoked_codes=("AB",),
        used_codes=("CD",),
        grant_attempt=3,
        stock_outs=3,
        no_stock_since=LATER,
        first_failed_at=LATER,
        attempts=2,
        held=Held("expired", "out of stock for too long"),
        due=None,
    ),
    "Reward.occupied.v1": a_reward(
        Status.OCCUPY, unpaid_until=LATER, rule=Rule(LoyaltyPoints(points=7), Days(0)), booking_time=None, due=None
    ),
}


def golden(name: str) -> dict[str, Any]:
    item: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return item


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_reads_as_it_did_when_it_was_written(name: str) -> None:
    assert order_of(golden(name)) == ORDERS[name]
    assert order_item(ORDERS[name]) == golden(name)


@pytest.mark.parametrize("name", REWARDS)
def test_a_reward_reads_as_it_did_when_it_was_written(name: str) -> None:
    assert reward_of(golden(name)) == REWARDS[name]
    assert reward_item(REWARDS[name]) == golden(name)


def test_attributes_of_a_later_release_are_ignored() -> None:
    assert reward_of(golden("Reward.waiting.v1") | {"Mood": {"S": "good"}}) == REWARDS["Reward.waiting.v1"]


def test_a_row_of_a_later_version_is_left_for_the_code_that_knows_it() -> None:
    with pytest.raises(TooNew):
        reward_of(golden("Reward.waiting.v1") | {"v": {"N": str(ROW_VERSION + 1)}})


def test_a_typical_row_encodes_under_one_write_unit() -> None:
    """Write units are most of the bill, and count by the kilobyte: names and values, as DynamoDB sizes an item."""

    def size(value: dict[str, Any]) -> int:
        ((kind, content),) = value.items()
        match kind:
            case "M":
                return 3 + sum(len(name) + size(inner) + 1 for name, inner in content.items())
            case "L":
                return 3 + sum(size(inner) + 1 for inner in content)
            case "N":
                return len(content) // 2 + 2
        return len(str(content).encode())

    assert sum(len(name) + size(value) for name, value in golden("Reward.waiting.v1").items()) < 1024
