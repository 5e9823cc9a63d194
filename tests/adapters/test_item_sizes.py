"""Items are paid for by the kilobyte begun: those of an ordinary reward stay within the first one all its life."""

from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from adapters.items import Item, history_item, order_item, reward_item
from adapters.wallet_items import entry_item, granted
from bench.item_sizes import WRITE_UNIT, item_bytes, read_units, write_units
from rewards.claiming import Worker, grant_key
from rewards.history import Change, HistoryItem
from rewards.pooling import alone
from rewards.promotion import LoyaltyPoints, Tier
from rewards.provider import Member, PointsGrant
from rewards.reward import Place, RewardId
from rewards.status import Status
from tests.builders import NOW, a_line, a_paid_order, a_promotion, a_reward, its_due_keys
from tests.fakes.ledger import MemoryLedger
from tests.fakes.world import LEASE, PATIENCE, STOCK_PATIENCE

ID = RewardId("shop-00042", "TG260311-0042-19", "promotion-28343")
MEMBER = "member-0012345678"
TIERS = tuple(Tier(Decimal(1000 * step), points=50 * step) for step in range(1, 6))
LINES = tuple(f"TS26031100{number:02}" for number in range(5))
ROW = a_reward(
    id=ID,
    member_id=MEMBER,
    rule=a_promotion(LoyaltyPoints(tiers=TIERS, max_points=500)).rule,
    lines=LINES,
    place=Place(shard=12, of_member=True),
    points=250,
    due=None,
)
WAITS = replace(ROW, due=its_due_keys(ROW))
"""Larger than most: five tiers, five lines of which only some count, a place, long identifiers."""


def claimed() -> Any:
    ledger = MemoryLedger()
    ledger.rows[WAITS.id] = WAITS
    worker = Worker("grant_points", "f3c0ffee-0000-4000-8000-00000000cafe", NOW, LEASE, PATIENCE, STOCK_PATIENCE)
    claim = alone(worker.claim(WAITS, "grant", WAITS.points), ledger)
    assert claim
    return claim


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"a": {"S": "特價"}}, 1 + 6),
        ({"a": {"N": "251"}}, 1 + 3),
        ({"a": {"N": "250"}}, 1 + 2),
        ({"a": {"N": "-1000"}}, 1 + 3),
        ({"a": {"N": "0"}}, 1 + 1),
        ({"a": {"BOOL": True}}, 1 + 1),
        ({"a": {"L": [{"S": "xy"}, {"S": "z"}]}}, 1 + 3 + 2 + 3),
        ({"a": {"M": {"bc": {"S": "d"}}}}, 1 + 3 + 1 + 3),
    ],
)
def test_an_item_is_as_large_as_dynamodb_says(item: Item, size: int) -> None:
    assert item_bytes(item) == size


def test_units_are_begun_kilobytes() -> None:
    assert [write_units(size) for size in (0, 1, 1024, 1025)] == [1, 1, 1, 2]
    assert [read_units(size, is_consistent=True) for size in (0, 4096, 4097)] == [1, 1, 2]
    assert read_units(4097, is_consistent=False) == 1


def test_a_reward_fits_into_one_write_unit_from_booking_to_settling() -> None:
    claim = claimed()
    settled = claim.worker.change(claim.row, "granted", status=Status.REWARD, is_reward=True, granted_at=NOW, due=None)
    sizes = [item_bytes(reward_item(row)) for row in (WAITS, claim.row, settled)]
    assert max(sizes) <= WRITE_UNIT, sizes


def test_a_claim_changes_the_lock_and_the_version_and_nothing_else() -> None:
    before, after = reward_item(WAITS), reward_item(claimed().row)
    assert {name for name in before | after if before.get(name) != after.get(name)} == {"Lock", "Version"}


def test_an_order_of_three_lines_fits_into_one_write_unit() -> None:
    lines = [a_line(line, "1590.50", quantity=2, categories=("Shoes", "Sale")) for line in LINES[:3]]
    order = a_paid_order(
        lines,
        id=ID.order,
        member_id=MEMBER,
        paid_by="7bf73129-1428-4cd3-a780-95db273d1602",
        decisions={ID.promotion_id: "matched", "other": "orders from ECom do not count"},
    )
    assert item_bytes(order_item(order)) <= WRITE_UNIT


def test_what_is_written_beside_a_row_is_small() -> None:
    history = history_item(HistoryItem.of(Change(None, WAITS)))
    entry = granted(PointsGrant(grant_key(WAITS), Member(ID.shop_id, MEMBER), WAITS.points, ID.promotion_id))
    assert item_bytes(history) < WRITE_UNIT // 4
    assert item_bytes(entry) < WRITE_UNIT // 4
    assert item_bytes(entry_item(Member("1", "M"), "k", 1)) < item_bytes(entry)
