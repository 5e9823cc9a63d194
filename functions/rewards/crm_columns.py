"""What the columns of a shop's file may hold. Nothing is guessed: what a spreadsheet has spoilt is refused.

`12,345` and full-width `１２` are numbers; `2²`, `2.0` and `1,2` are not. `0012345` is not `12345`, and a code that
reads `2.02609E+14` has lost its digits.
"""

import re
from datetime import datetime
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from rewards import money, times
from rewards.errors import Invalid, shown
from rewards.events import CATEGORIES_MOST, QUANTITY_MOST, YEARS
from rewards.fields import Fields
from rewards.identifiers import identifier, mapped
from rewards.order import SOURCES

RowStatus = Literal["paid", "cancelled", "returned"]
STATUSES: tuple[RowStatus, ...] = ("paid", "cancelled", "returned")
BETWEEN_CATEGORIES = ";"

_BY_A_SPREADSHEET = re.compile(
    r"[0-9]+(\.[0-9]+)?E[+-][0-9]+|[0-9]+\.[0-9]+E[0-9]+|[0-9]+\.0+", re.ASCII | re.IGNORECASE
)
_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,7}", re.ASCII)


class CrmRow(Struct, frozen=True):
    """A line of an order as it was paid, or what came back of one."""

    order_group: str
    line: str
    member_id: str | None
    ordered_at: datetime
    status: RowStatus
    sku: str
    quantity: int
    amount: Decimal
    currency: str
    return_id: str | None
    categories: tuple[str, ...]
    source: str

    @property
    def identity(self) -> tuple[str, ...]:
        """Within its order: the line that was paid, or what a return, named or not, says of it."""
        return (self.line,) if self.status == "paid" else (self.line, self.return_id or "crm")


def checked(cells: dict[str, object]) -> CrmRow:
    """The row in these cells. Raises `Invalid`, whose field is the column."""
    fields = Fields({name: mapped(cell, name) if isinstance(cell, str) else cell for name, cell in cells.items()})
    return CrmRow(
        order_group=_code(fields, "order_group"),
        line=_code(fields, "line"),
        member_id=_member(fields),
        ordered_at=_time(fields, "ordered_at"),
        status=fields.choice("status", STATUSES),
        sku=_code(fields, "sku", longest=300),
        quantity=_quantity(fields),
        amount=money.amount(_number(fields, "amount"), "amount"),
        currency=fields.currency("currency"),
        return_id=_code(fields, "return_id") if "return_id" in fields else None,
        categories=_categories(fields),
        source=fields.choice("source", SOURCES, default="Others"),
    )


def _code(fields: Fields, name: str, longest: int = 100) -> str:
    code = fields.text(name, longest)
    if _BY_A_SPREADSHEET.fullmatch(code):
        raise Invalid(name, f"{shown(code)} is what a spreadsheet made of a code: its digits are lost")
    if "\n" in code:
        raise Invalid(name, f"{shown(code)} goes over several lines: is a quote missing?")
    return code


def _member(fields: Fields) -> str | None:
    return _code(fields, "member_id") if fields.member("member_id") else None


def _time(fields: Fields, name: str) -> datetime:
    at = times.instant(fields.text(name), name)
    if at.year not in YEARS:
        raise Invalid(name, f"{at:%Y} is no year of trade")
    return at


def _quantity(fields: Fields) -> int:
    """A whole number; in JSON it may be one itself."""
    if type(fields.value("quantity")) is int:
        return fields.whole("quantity", 1, QUANTITY_MOST)
    number = _number(fields, "quantity")
    if not _WHOLE.fullmatch(number):
        raise Invalid("quantity", f"{shown(number)} is not a whole number")
    return Fields({"quantity": int(number)}).whole("quantity", 1, QUANTITY_MOST)


def _number(fields: Fields, name: str) -> str:
    """The digits of a number, without the commas between its thousands."""
    number = fields.text(name)
    return number.replace(",", "") if _THOUSANDS.fullmatch(number) else number


def _categories(fields: Fields) -> tuple[str, ...]:
    """Of CSV one text with semicolons, of JSON also a list."""
    if "categories" not in fields or isinstance(fields.value("categories"), list):
        return fields.texts("categories", CATEGORIES_MOST)
    told = fields.text("categories", longest=CATEGORIES_MOST * 300).split(BETWEEN_CATEGORIES)
    if len(told) > CATEGORIES_MOST:
        raise Invalid("categories", f"has {len(told)} of them, not up to {CATEGORIES_MOST}")
    return tuple(identifier(category, "categories", 300) for category in told if category.strip())
