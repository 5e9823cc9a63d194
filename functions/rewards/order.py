"""An order as the ledger keeps it: what was bought, when it was paid, and what came back."""

from datetime import datetime
from decimal import Decimal
from typing import Literal, NamedTuple

from msgspec import Struct, field

ONLINE = "ECom"
SOURCES = (ONLINE, "Others")
"""Where an order was made: in the online shop, or anywhere else."""


class OrderId(NamedTuple):
    """An order's identity: the shop and its TradesOrderGroupCode."""

    shop_id: str
    order_group: str


class Line(Struct, frozen=True, omit_defaults=True):
    """One sub-order. `amount` is what was paid for the whole line after every discount."""

    line: str
    sku: str
    quantity: int
    amount: Decimal
    categories: tuple[str, ...] = ()


class ReturnedLine(Struct, frozen=True, omit_defaults=True):
    """Pieces of a line that came back; without an amount, their pro rata share of it."""

    line: str
    quantity: int
    amount: Decimal | None = None


class Return(Struct, frozen=True, omit_defaults=True):
    """A return or cancellation as it was told; `"all"` is the whole order."""

    lines: tuple[ReturnedLine, ...] | Literal["all"]
    occurred_at: datetime
    currency: str | None = None
    member_id: str | None = None


class Order(Struct, frozen=True, omit_defaults=True, kw_only=True, rename="pascal"):
    """The order item.

    One that only knows returns is a tombstone: they came before the order, and the order will earn only what is left.
    `decisions` says, by promotion, why it did or did not match; each is made once, when the order is placed for
    promotions that hold a place from then on, and when it is first paid for all others.
    """

    id: OrderId
    member_id: str | None = None
    source: str | None = None
    currency: str | None = None
    ordered_at: datetime | None = None
    lines: tuple[Line, ...] = ()
    placed_at: datetime | None = None
    paid_at: datetime | None = None
    paid_by: str | None = None
    shipped_at: datetime | None = None
    returns: dict[str, Return] = {}
    decisions: dict[str, str] = {}
    version: int = 0
    v: int = field(default=1, name="v")

    @property
    def counted_returns(self) -> list[Return]:
        """Those in the order's currency: one in another that came before the order is kept, and not counted."""
        return [told for told in self.returns.values() if told.currency in (None, self.currency)]

    @property
    def is_paid(self) -> bool:
        return self.paid_by is not None

    @property
    def named_member(self) -> str | None:
        """The member as the latest return that names one knows them, since members are merged."""
        naming = [(told.occurred_at, id, told.member_id) for id, told in self.returns.items() if told.member_id]
        return max(naming)[2] if naming else None
