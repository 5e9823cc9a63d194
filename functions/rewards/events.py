"""Order events as a shop platform sends them (contract §1), in the envelope that EventBridge puts around them.

Events come twice, late and in any order, so each says all that is needed of it. What can never be right is `Invalid`,
with the path to the field within `detail`; an event of a later version is `TooNew`. Times are UTC from here on.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from rewards.errors import Invalid, shown
from rewards.fields import Fields, decoded
from rewards.order import SOURCES, Line, Order, OrderId, Return, ReturnedLine

EVENT_KINDS = ("OrderPlaced", "PaymentCompleted", "PaymentFailed", "OrderShipped", "OrderCancelled", "OrderReturned")
"""Every detail-type that some step takes; another is invalid."""

KNOWN_VERSION = 1
EVENT_BYTES = 256 * 1024
LINES_MOST = 200
CATEGORIES_MOST = 100
QUANTITY_MOST = 1_000_000
YEARS = range(1970, 2200)  # what is booked some days or years later is still in the calendar


class Event(Struct, frozen=True, kw_only=True):
    """What every event says: a repeat has the same `event_id`; `occurred_at` is when it happened at the sender."""

    event_id: str
    occurred_at: datetime


class OrderPlaced(Event, frozen=True, kw_only=True):
    """An order was made and is not paid yet."""

    order: Order


class PaymentCompleted(Event, frozen=True, kw_only=True):
    """An order was paid. `order` is as it was placed: marking it paid is for the one who books it."""

    order: Order


class PaymentFailed(Event, frozen=True, kw_only=True):
    """A payment attempt failed; another may succeed."""

    order_id: OrderId
    attempt: str


class OrderShipped(Event, frozen=True, kw_only=True):
    """An order, or another part of it, left for the customer."""

    order_id: OrderId
    shipped_at: datetime


class OrderReversed(Event, frozen=True, kw_only=True):
    """Lines of an order, or all of it, were cancelled or came back: to a reward these are one."""

    order_id: OrderId
    return_id: str
    returned: Return


def parse_order_placed(body: str) -> OrderPlaced:
    """For `occupy`."""
    _, detail = _opened(body, "OrderPlaced")
    return OrderPlaced(event_id=_event_id(detail), occurred_at=_time(detail, "occurred_at"), order=_order(detail))


def parse_payment_completed(body: str) -> PaymentCompleted:
    """For `book`."""
    _, detail = _opened(body, "PaymentCompleted")
    return PaymentCompleted(event_id=_event_id(detail), occurred_at=_time(detail, "occurred_at"), order=_order(detail))


def parse_order_shipped(body: str) -> OrderShipped:
    """For `rebook`."""
    _, detail = _opened(body, "OrderShipped")
    return OrderShipped(
        event_id=_event_id(detail),
        occurred_at=_time(detail, "occurred_at"),
        order_id=_order_id(detail),
        shipped_at=_time(detail, "shipped_at"),
    )


def parse_reverse_event(body: str) -> PaymentFailed | OrderReversed:
    """For `withdraw`."""
    kind, detail = _opened(body, "PaymentFailed", "OrderCancelled", "OrderReturned")
    if kind == "PaymentFailed":
        return PaymentFailed(
            event_id=_event_id(detail),
            occurred_at=_time(detail, "occurred_at"),
            order_id=_order_id(detail),
            attempt=_attempt(detail),
        )
    return OrderReversed(
        event_id=_event_id(detail),
        occurred_at=_time(detail, "occurred_at"),
        order_id=_order_id(detail),
        return_id=detail.text("return_id"),
        returned=_return(detail),
    )


def _opened(body: str, *kinds: str) -> tuple[str, Fields]:
    """The event's kind, one of those the step is for, and its detail."""
    envelope = Fields(decoded(body, below=EVENT_BYTES))
    detail = Fields(envelope.value("detail"))
    detail.check_version(KNOWN_VERSION)
    return envelope.choice("detail-type", kinds), detail


def _event_id(detail: Fields) -> str:
    return detail.text("event_id")


def _order_id(detail: Fields) -> OrderId:
    return OrderId(detail.identifier("shop_id"), detail.identifier("order_group"))


def _time(fields: Fields, name: str) -> datetime:
    at = fields.instant(name)
    if at.year not in YEARS:
        raise Invalid(fields.path(name), f"{at:%Y} is no year of trade")
    return at


def _attempt(detail: Fields) -> str:
    """Some count their attempts, some name them."""
    attempt = detail.value("attempt")
    return str(attempt) if type(attempt) is int else detail.text("attempt")


def _order(detail: Fields) -> Order:
    order = detail.nested("order")
    return Order(
        id=_order_id(detail),
        member_id=order.member("member_id"),
        source=order.choice("source", SOURCES),
        currency=order.currency("currency"),
        ordered_at=_time(order, "ordered_at"),
        lines=tuple(_line(line) for line in _lines(order)),
    )


def _line(line: Fields) -> Line:
    return Line(
        line=line.identifier("line"),
        sku=line.text("sku"),
        quantity=line.whole("quantity", 1, QUANTITY_MOST),
        amount=line.amount("amount"),
        categories=line.texts("categories", CATEGORIES_MOST),
    )


def _return(detail: Fields) -> Return:
    """What came back; amounts need their currency, pieces do not."""
    everything = detail.value("lines") == "all"
    lines = () if everything else tuple(_returned_line(line) for line in _lines(detail))
    has_currency = "currency" in detail or any(line.amount is not None for line in lines)
    return Return(
        lines="all" if everything else lines,
        occurred_at=_time(detail, "occurred_at"),
        currency=detail.currency("currency") if has_currency else None,
        member_id=detail.member("member_id"),
    )


def _returned_line(line: Fields) -> ReturnedLine:
    return ReturnedLine(
        line=line.identifier("line"),
        quantity=line.whole("quantity", 1, QUANTITY_MOST),
        amount=line.amount("amount") if "amount" in line else None,
    )


def _lines(fields: Fields) -> Sequence[Fields]:
    """The lines, at least one, none of them twice."""
    lines = fields.each("lines", 1, LINES_MOST)
    seen: set[str] = set()
    for line in lines:
        name = line.identifier("line")
        if name in seen:
            raise Invalid(line.path("line"), f"{shown(name)} is there twice")
        seen.add(name)
    return lines
