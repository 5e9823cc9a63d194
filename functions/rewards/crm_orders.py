"""The orders of a shop's file: rows of one order stand together, and go on together or are set aside together."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

import msgspec
from msgspec import Struct

from rewards.crm_columns import CrmRow, checked
from rewards.crm_rows import Row
from rewards.crm_text import Refused
from rewards.errors import Invalid, shown
from rewards.events import EVENT_BYTES, LINES_MOST
from rewards.identifiers import mapped
from rewards.order import Line

ROWS_MOST = 2 * LINES_MOST
"""An order with more rows is no order: the column is not what its header says, or the file is not in order."""

VALUE_LENGTH = 200


class CrmReturn(Struct, frozen=True, omit_defaults=True):
    """What came back of a line. `return_id` is None where the file does not name the return."""

    line: str
    quantity: int
    amount: Decimal
    occurred_at: datetime
    return_id: str | None = None
    member_id: str | None = None


class CrmOrder(Struct, frozen=True, omit_defaults=True):
    """What a file says of one order: the lines that were paid, and what came back."""

    order_group: str
    member_id: str | None
    source: str
    currency: str
    ordered_at: datetime
    lines: tuple[Line, ...] = ()
    returns: tuple[CrmReturn, ...] = ()


class Reject(Struct, frozen=True):
    """A row that was set aside: where it stands, and what is wrong with it."""

    file: str
    line: int
    column: str
    value: str
    reason: str


class Run(NamedTuple):
    """The rows of one order, and how many empty ones stand among and after them."""

    rows: Sequence[Row]
    empty: int


class Damaged(Exception):
    """Rows of an order that will not do, with what is wrong with each."""

    def __init__(self, problems: dict[int, Invalid]) -> None:
        super().__init__(problems)
        self.problems = problems


def runs(rows: Iterable[Row]) -> Iterator[Run]:
    """The rows, order by order; one that names no order stands alone. Raises `Refused` for an order that has no end."""
    run: list[Row] = []
    empty = 0
    for row in rows:
        if row.is_empty:
            empty += 1
            continue
        order_group = _order_group(row)
        if run and (order_group is None or order_group != _order_group(run[0])):
            yield Run(run, empty)
            run, empty = [], 0
        if len(run) == ROWS_MOST:
            raise Refused(f"line {row.line} is still of order {shown(order_group)}, which has {ROWS_MOST} rows")
        run.append(row)
    if run or empty:
        yield Run(run, empty)


def order_of(rows: Sequence[Row]) -> CrmOrder:
    """The order that these rows tell. Raises `Damaged`, which says what is wrong with each row that is."""
    found: list[CrmRow] = []
    problems: dict[int, Invalid] = {}
    for row in rows:
        try:
            found.append(_row(row, found))
        except Invalid as invalid:
            problems[row.line] = invalid
    if problems:
        raise Damaged(problems)
    order = _assembled(found)
    if len(order.lines) > LINES_MOST or len(msgspec.json.encode(order)) >= EVENT_BYTES:
        too_large = Invalid("order_group", f"the order has more than {LINES_MOST} lines or {EVENT_BYTES:,} bytes")
        raise Damaged({rows[0].line: too_large})
    return order


def rejects(file: str, rows: Sequence[Row], damaged: Damaged) -> list[Reject]:
    """All rows of a damaged order: those in order themselves name the first one that is not."""
    first = min(damaged.problems)
    companion = Invalid("order_group", f"the order is damaged on line {first}")
    found = []
    for row in rows:
        invalid = damaged.problems.get(row.line, companion)
        value = row.cells.get(invalid.field, "")
        text = value if isinstance(value, str) else repr(value)
        found.append(Reject(file, row.line, invalid.field, text[:VALUE_LENGTH], invalid.problem))
    return found


def _row(row: Row, before: Sequence[CrmRow]) -> CrmRow:
    """The row, checked by itself and against those of its order that stand before it."""
    if row.problem:
        raise Invalid("", row.problem)
    found = checked(row.cells)
    for other in before:
        _check_same(found, other, "currency", "source")
        if other.status == found.status == "paid":
            _check_same(found, other, "member_id", "ordered_at")
        if other.identity == found.identity:
            _check_same(found, other, "sku", "quantity", "amount", "categories")
    return found


def _check_same(row: CrmRow, other: CrmRow, *columns: str) -> None:
    """What one order says once, or of one line, must be the same wherever it says it."""
    for column in columns:
        here, there = getattr(row, column), getattr(other, column)
        if here != there:
            raise Invalid(column, f"differs from another row of the order, which has {there}")


def _assembled(rows: Sequence[CrmRow]) -> CrmOrder:
    """The order; a row that is there twice counts once."""
    each = {row.identity: row for row in rows}.values()
    paid = [row for row in each if row.status == "paid"]
    told = (paid or rows)[0]
    return CrmOrder(
        order_group=told.order_group,
        member_id=told.member_id,
        source=told.source,
        currency=told.currency,
        ordered_at=told.ordered_at,
        lines=tuple(Line(row.line, row.sku, row.quantity, row.amount, row.categories) for row in paid),
        returns=tuple(
            CrmReturn(row.line, row.quantity, row.amount, row.ordered_at, row.return_id, row.member_id)
            for row in each
            if row.status != "paid"
        ),
    )


def _order_group(row: Row) -> object:
    """What the row says its order is: by the cell as it stands, damaged or not; nothing where it has none."""
    cell = row.cells.get("order_group")
    return mapped(cell, "order_group") if isinstance(cell, str) else cell
