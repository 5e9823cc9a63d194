"""A sample day: 240 orders of one shop on 11 November 2026, and what happened to them afterwards.

Everything follows from an order's number, so the day is the same each time.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

Event = dict[str, Any]

SHOP = "1"
MEMBERS = 90
TAIPEI = timezone(timedelta(hours=8))
MIDNIGHT = datetime(2026, 11, 11, tzinfo=TAIPEI)
BETWEEN_ORDERS = timedelta(minutes=5, seconds=41)

STORIES = {
    "paid": 110,
    "paid, told twice": 16,
    "paid twice": 12,
    "cancelled early": 20,
    "part back early": 12,
    "part back later": 18,
    "back bit by bit": 12,
    "all back later": 14,
    "back before paid": 8,
    "guest": 10,
    "no match": 8,
}
"""What happens to an order, and to how many of them."""

SPREAD = 97
"""Prime to the number of orders: taking each so-and-so-manieth story mixes them through the day."""

SHELF = (
    ("OOLONG-150", "tea", 680),
    ("MUG", "kitchen", 390),
    ("BEANS-1KG", "coffee", 1150),
    ("KETTLE", "kitchen", 2490),
    ("SENCHA-100", "tea", 520),
    ("GRINDER", "coffee", 3980),
    ("GIFT-CARD", "cards", 1000),
    ("FILTERS", "coffee", 120),
)
STICKER = {"line": "TS-1", "sku": "STICKER", "quantity": 1, "amount": "60.00"}


class SampleOrder(NamedTuple):
    """An order, as its events tell it, and its story."""

    order_group: str
    story: str
    ordered_at: datetime
    order: dict[str, Any]


class Day(NamedTuple):
    """The events in the order they are sent: on the day, while rewards wait, and after they were granted."""

    on_the_day: list[Event]
    while_waiting: list[Event]
    after_the_grant: list[Event]


def sample_orders() -> list[SampleOrder]:
    stories = [story for story, count in STORIES.items() for _ in range(count)]
    return [_order(number, stories[number * SPREAD % len(stories)]) for number in range(len(stories))]


def sample_day() -> Day:
    orders = sample_orders()
    return Day(
        [event for order in orders for event in _on_the_day(order)],
        [event for order in orders for event in _while_waiting(order)],
        [event for order in orders for event in _after_the_grant(order)],
    )


def _order(number: int, story: str) -> SampleOrder:
    ordered_at = MIDNIGHT + number * BETWEEN_ORDERS
    lines = [_line(number, position) for position in range(1 + number % 3)]
    order: dict[str, Any] = {
        "member_id": f"M{number * 31 % MEMBERS:04}",
        "source": "ECom",
        "ordered_at": ordered_at.isoformat(),
        "currency": "TWD",
        "lines": lines,
    }
    if story == "guest":
        order["member_id"] = ("0", "", None)[number % 3]
    if story == "no match":
        order |= {"source": "Others"} if number % 2 else {"lines": [STICKER]}
    return SampleOrder(f"TG{ordered_at:%y%m%d}{number:04}", story, ordered_at, order)


def _line(number: int, position: int) -> dict[str, Any]:
    sku, category, price = SHELF[(number + 3 * position) % len(SHELF)]
    quantity = 1 + (number // 3 + position) % 3
    line = f"TS{number:04}-{position + 1}"
    amount = f"{price * quantity}.00"
    return {"line": line, "sku": sku, "categories": [category], "quantity": quantity, "amount": amount}


def _on_the_day(order: SampleOrder) -> Iterator[Event]:
    placed, paid = order.ordered_at, order.ordered_at + timedelta(minutes=2)
    yield _event("OrderPlaced", order, "placed", placed, order=order.order)
    if order.story == "back before paid":
        yield _returned(order, "early", placed + timedelta(minutes=1), "all")
    payment = _event("PaymentCompleted", order, "paid", paid, order=order.order)
    yield payment
    if order.story == "paid, told twice":
        yield payment
    if order.story == "paid twice":
        yield _event("PaymentCompleted", order, "paid-again", paid + timedelta(minutes=1), order=order.order)


def _while_waiting(order: SampleOrder) -> Iterator[Event]:
    next_day = order.ordered_at + timedelta(days=1)
    if order.story == "cancelled early":
        cancelled = {"return_id": f"{order.order_group}-cancel", "lines": "all"}
        yield _event("OrderCancelled", order, "cancelled", next_day, **cancelled)
    if order.story == "part back early":
        yield _returned(order, "first", next_day, [_piece(order.order["lines"][0])])


def _after_the_grant(order: SampleOrder) -> Iterator[Event]:
    later = order.ordered_at + timedelta(days=8)
    lines = order.order["lines"]
    if order.story == "part back later":
        part = _returned(order, "first", later, [_piece(lines[0])])
        yield from (part, part)  # told twice
    if order.story == "back bit by bit":
        for line in lines:
            for piece in range(line["quantity"]):
                yield _returned(order, f"{line['line']}-{piece}", later + timedelta(hours=piece), [_piece(line)])
    if order.story == "all back later":
        yield _returned(order, "all", later, "all")


def _piece(line: dict[str, Any]) -> dict[str, Any]:
    return {"line": line["line"], "quantity": 1}


def _returned(order: SampleOrder, name: str, at: datetime, lines: object) -> Event:
    return _event("OrderReturned", order, f"return-{name}", at, return_id=f"{order.order_group}-{name}", lines=lines)


def _event(kind: str, order: SampleOrder, name: str, at: datetime, /, **more: object) -> Event:
    return {
        "detail-type": kind,
        "detail": {
            "event_id": f"{order.order_group}-{name}",
            "occurred_at": at.astimezone(UTC).isoformat(),
            "shop_id": SHOP,
            "order_group": order.order_group,
            **more,
        },
    }
