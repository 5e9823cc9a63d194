"""Rows of one order go on together, or are set aside together."""

from decimal import Decimal

import pytest

from rewards.crm_files import CrmFile
from rewards.crm_orders import ROWS_MOST, CrmOrder, Damaged, Reject, order_of, rejects, runs
from rewards.crm_rows import csv_rows, read_layout
from rewards.crm_text import Refused
from tests.rewards.crm import KEY, a_file, a_row, lines_of

FILE = CrmFile(KEY, "etag", 1)


def orders_and_rejects(*rows: str) -> tuple[list[CrmOrder], list[Reject]]:
    lines = lines_of(a_file(*rows))
    orders, aside = list[CrmOrder](), list[Reject]()
    for run in runs(csv_rows(lines, read_layout(lines))):
        try:
            orders.append(order_of(run.rows))
        except Damaged as damaged:
            aside += rejects(KEY, run.rows, damaged)
    return orders, aside


def test_lines_that_were_paid_and_what_came_back_are_one_order() -> None:
    (order,), aside = orders_and_rejects(
        a_row(line="L1"), a_row(line="L2"), a_row(line="L1", status="returned", amount="400", return_id="R1")
    )
    assert not aside
    assert [line.line for line in order.lines] == ["L1", "L2"]
    (back,) = order.returns
    assert (back.line, back.quantity, back.amount, back.return_id) == ("L1", 1, Decimal(400), "R1")


def test_a_damaged_row_sets_its_order_aside_and_no_other() -> None:
    orders, aside = orders_and_rejects(a_row("TG1"), a_row("TG2"), a_row("TG2", "L2", quantity="2²"), a_row("TG3"))
    assert [order.order_group for order in orders] == ["TG1", "TG3"]
    assert aside == [
        Reject(KEY, 3, "order_group", "TG2", "the order is damaged on line 4"),
        Reject(KEY, 4, "quantity", "2²", "'2²' is not a whole number"),
    ]


def test_a_ragged_row_is_of_the_order_it_names() -> None:
    orders, aside = orders_and_rejects(a_row("TG1"), "TG1,L2,M1", a_row("TG2"))
    assert [order.order_group for order in orders] == ["TG2"]
    assert [(reject.line, reject.column) for reject in aside] == [(2, "order_group"), (3, "")]


def test_blank_lines_do_not_cut_an_order() -> None:
    (order,), _ = orders_and_rejects(a_row(line="L1"), "", ",,,,,,,,,", a_row(line="L2"))
    assert len(order.lines) == 2


@pytest.mark.parametrize(
    "different",
    [{"member_id": "M2"}, {"ordered_at": "2026-11-03T12:00:01+08:00"}, {"currency": "USD"}],
)
def test_rows_of_an_order_agree_on_what_it_says_once(different: dict[str, str]) -> None:
    orders, aside = orders_and_rejects(a_row(line="L1"), a_row(line="L2", **different))
    assert not orders
    assert aside[1].column == next(iter(different))
    assert "differs from another row of the order" in aside[1].reason


def test_a_row_that_is_there_twice_counts_once() -> None:
    back = a_row(status="returned")
    (order,), _ = orders_and_rejects(a_row(), a_row(), back, back)
    assert (len(order.lines), len(order.returns)) == (1, 1)


@pytest.mark.parametrize("status", ["paid", "returned", "cancelled"])
def test_a_row_that_is_there_twice_and_differs_is_damaged(status: str) -> None:
    orders, aside = orders_and_rejects(a_row(status=status), a_row(status=status, amount="999"))
    assert not orders
    assert aside[1].column == "amount"


def test_an_order_with_more_lines_than_an_event_may_have_is_set_aside() -> None:
    orders, aside = orders_and_rejects(*(a_row(line=f"L{number}") for number in range(201)))
    assert not orders
    assert len(aside) == 201
    assert "more than 200 lines" in aside[0].reason


def test_rows_that_name_no_order_are_no_order_together() -> None:
    orders, aside = orders_and_rejects(*[a_row("")] * (ROWS_MOST + 1), a_row("TG1"))
    assert [order.order_group for order in orders] == ["TG1"]
    assert {reject.reason for reject in aside} == {"is missing"}


def test_an_order_without_an_end_is_not_held() -> None:
    with pytest.raises(Refused, match="still of order 'TG1'"):
        orders_and_rejects(*(a_row(line=f"L{number}") for number in range(ROWS_MOST + 1)))
