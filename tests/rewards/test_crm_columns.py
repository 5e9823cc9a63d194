"""What a column may hold: codes stay as they are, numbers are never guessed."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from rewards.crm_columns import CrmRow, checked
from rewards.errors import Invalid

CELLS: dict[str, object] = {
    "order_group": "TG1",
    "line": "L1",
    "member_id": "M1",
    "ordered_at": "2026-11-03T12:00:00+08:00",
    "status": "paid",
    "sku": "TEA",
    "quantity": "1",
    "amount": "1000",
    "currency": "TWD",
}


def read(**cells: object) -> CrmRow:
    return checked({name: cell for name, cell in (CELLS | cells).items() if cell is not None})


def test_an_ordinary_row() -> None:
    assert read() == CrmRow(
        order_group="TG1",
        line="L1",
        member_id="M1",
        ordered_at=datetime(2026, 11, 3, 4, tzinfo=UTC),
        status="paid",
        sku="TEA",
        quantity=1,
        amount=Decimal(1000),
        currency="TWD",
        return_id=None,
        categories=(),
        source="Others",
    )


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("0012345", "0012345"),
        ("　ＴＧ０１ ", "TG01"),
        ("門市-3", "門市-3"),
        ("12E5", "12E5"),
        ("1.5", "1.5"),
        ("²", "²"),
    ],
)
def test_a_code_is_opaque(cell: str, code: str) -> None:
    assert read(order_group=cell).order_group == code


@pytest.mark.parametrize("column", ["order_group", "line", "member_id", "sku", "return_id"])
@pytest.mark.parametrize("cell", ["2.02609E+14", "2.0e+05", "1E+15", "2.02609E14", "20193021.0", "２.0", "TG1\nL1"])
def test_a_code_that_a_spreadsheet_or_a_lost_quote_has_spoilt_is_refused(column: str, cell: str) -> None:
    with pytest.raises(Invalid) as refused:
        read(**{column: cell})
    assert refused.value.field == column


@pytest.mark.parametrize("cell", [20193021, 2.5, True, None, "　"])
def test_a_code_is_text_and_is_there(cell: object) -> None:
    with pytest.raises(Invalid, match="order_group"):
        read(order_group=cell)


@pytest.mark.parametrize("cell", [None, "0", "０"])
def test_a_guest_is_no_member(cell: str | None) -> None:
    assert read(member_id=cell).member_id is None


@pytest.mark.parametrize(
    ("cell", "number"), [("2", 2), ("１２", 12), ("1,200", 1200), (" 7 ", 7), (3, 3), ("1,000,000", 1_000_000)]
)
def test_a_quantity(cell: object, number: int) -> None:
    assert read(quantity=cell).quantity == number


@pytest.mark.parametrize(
    "cell",
    ["2²", "²", "2.0", "2e0", "1,2", ",200", "-1", "+1", "0", "two", "٣", "1_000", "1 000", 2.0, True, 0, "9999999"],
)
def test_what_is_no_quantity(cell: object) -> None:
    with pytest.raises(Invalid) as refused:
        read(quantity=cell)
    assert refused.value.field == "quantity"


@pytest.mark.parametrize(
    ("cell", "amount"), [("1,360.50", "1360.50"), ("１,３６０", "1360"), ("0", "0"), ("12,345,678.9", "12345678.9")]
)
def test_an_amount(cell: str, amount: str) -> None:
    assert read(amount=cell).amount == Decimal(amount)


@pytest.mark.parametrize("cell", ["1,36", "1360,00", "NT$680", "1e3", "-1", "NaN", "1.", ".5", "½", "", 680, 680.0])
def test_what_is_no_amount(cell: object) -> None:
    with pytest.raises(Invalid) as refused:
        read(amount=cell)
    assert refused.value.field == "amount"


@pytest.mark.parametrize(
    "cell",
    [
        "46355.41667",
        "46355",
        "2026/11/03 12:00",
        "2026-11-03T12:00:00",
        "2026-02-30T12:00:00Z",
        "1899-12-30T00:00:00Z",
        "115-11-03T12:00:00+08:00",
    ],
)
def test_what_is_no_time(cell: str) -> None:
    with pytest.raises(Invalid) as refused:
        read(ordered_at=cell)
    assert refused.value.field == "ordered_at"


@pytest.mark.parametrize("cell", ["茶;飲料", " 茶 ; 飲料 ;", ["茶", "飲料"]])
def test_categories_are_a_list_or_stand_between_semicolons(cell: object) -> None:
    assert read(categories=cell).categories == ("茶", "飲料")


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("status", "sold"),
        ("status", "Paid"),
        ("source", "Till"),
        ("currency", "NT"),
        ("categories", ";".join("x" * 101)),
        ("categories", [1]),
    ],
)
def test_what_is_none_of_the_words(column: str, cell: object) -> None:
    with pytest.raises(Invalid, match=column):
        read(**{column: cell})


def test_a_file_may_say_that_an_order_was_made_online() -> None:
    assert read(source="ECom").source == "ECom"
