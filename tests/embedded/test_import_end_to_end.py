"""From a till's file to points in the wallet and back, through the deployed stack."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from adapters.wallet import DynamoWallet
from ops import clock, dispatch
from ops.importing import key_of, run
from ops.promotions import store
from ops.stack import Stack
from rewards.order import OrderId
from rewards.provider import Member
from rewards.status import Status
from tests.builders import a_promotion
from tests.rewards.crm import a_file, a_row

pytestmark = pytest.mark.xdist_group("embedded")

SHOP = "門市"
MEMBER = Member(SHOP, "M1")
ORDER = OrderId(SHOP, "TG20193021")
NEXT_MORNING = datetime.fromisoformat("2026-11-20T06:00:00+08:00")
HALF_PAST_TEN = datetime.fromisoformat("2026-11-20T10:30:00+08:00")
SOLD = a_row("TG20193021", "L1"), a_row("TG20193021", "L2")


@pytest.fixture(autouse=True)
def _a_shop(stack: Stack) -> None:
    store([a_promotion(shop_id=SHOP)], stack)
    clock.move_to(stack, NEXT_MORNING - timedelta(days=1))


def imported(stack: Stack, folder: Path, *rows: str) -> dict[str, int]:
    file = folder / "十一月 till.csv"
    file.write_bytes(a_file(*rows))
    done = run(stack, file, SHOP, key_of(file.name, SHOP, "2026-11-19"))
    return {name: getattr(done.summary, name) for name in ("accepted", "rejected")} | {"rejects": len(done.rejects)}


def balance(stack: Stack) -> int:
    return DynamoWallet(stack.dynamodb, stack["WalletTableName"]).balance(MEMBER)


def ledger(stack: Stack) -> DynamoLedger:
    quota = DynamoQuota(stack.dynamodb, stack["QuotaTableName"])
    return DynamoLedger(stack.dynamodb, stack["LedgerTableName"], quota)


def test_a_sale_is_granted_and_what_comes_back_is_taken_back_at_half_past_ten(stack: Stack, tmp_path: Path) -> None:
    counts = imported(stack, tmp_path, *SOLD, a_row("TG2", quantity="2²"))
    assert counts == {"accepted": 2, "rejected": 1, "rejects": 1}
    assert balance(stack) == 100  # it was made two weeks ago, so it is due at once
    assert imported(stack, tmp_path, *SOLD, a_row("TG2", quantity="2²")) == counts

    clock.move_to(stack, NEXT_MORNING)
    imported(stack, tmp_path, *SOLD, a_row("TG20193021", "L2", status="returned"))
    assert balance(stack) == 100
    dispatch.run(stack, HALF_PAST_TEN)
    assert balance(stack) == 50
    (row,) = ledger(stack).rewards(ORDER)
    assert (row.status, row.recycle_points, row.due) == (Status.REWARD, 50, None)
