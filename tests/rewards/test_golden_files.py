"""Files as tills write them: `tests/golden/crm` keeps one of each kind, with all that is normal or damaged in one."""

from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from rewards.crm_orders import CrmOrder
from tests.rewards.crm import Import

GOLDEN = Path(__file__).parent.parent / "golden" / "crm"


def expected(name: str, type: type[msgspec.Struct]) -> list[msgspec.Struct]:
    return msgspec.json.decode((GOLDEN / name).read_bytes(), type=list[type])  # type: ignore[valid-type]


@pytest.mark.parametrize("name", ["till.utf-8.csv", "till.cp950.csv", "till.jsonl"])
def test_the_same_sales_are_read_from_every_kind_of_file(name: str) -> None:
    till = Import()
    summary = till.read((GOLDEN / name).read_bytes(), f"crm/1/2026-11-30/{name}")
    assert (summary.accepted, summary.rejected, summary.refused) == (5, 0, None)
    assert till.orders == expected("till.orders.json", CrmOrder)
    assert till.orders[0].lines[0].amount == Decimal("1360.00")


def test_damage_is_set_aside_with_line_column_value_and_reason() -> None:
    damaged = Import()
    summary = damaged.read((GOLDEN / "damaged.csv").read_bytes())
    assert [order.order_group for order in damaged.orders] == ["TG13"]
    assert (summary.read, summary.accepted, summary.rejected) == (17, 1, 16)
    written = "".join(msgspec.json.encode(reject).decode() + "\n" for reject in damaged.rejects)
    assert written == (GOLDEN / "damaged.rejects.jsonl").read_text()
