"""The events of the sample orders, in the parts they are sent in. Nothing hangs on their order within a part.

So the day comes out the same each time: before a part, places or stock are left either for all of its orders, or for
so many of orders that are alike but for their names.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ops.demo.orders import MERGED, SHOP, STORIES, SampleOrder, sample_orders

Event = dict[str, Any]

FIRST_IN_THE_RUSH = ("never paid", "failed, then paid", "one member twice")
COUPONS_BACK = ("coupons back", "coupon used, back")


class Day(NamedTuple):
    """The events in the order they are sent."""

    first_in_the_rush: list[Event]
    in_the_rush: list[Event]
    after_the_rush: list[Event]
    on_the_day: list[Event]
    while_waiting: list[Event]
    after_the_grant: list[Event]


def sample_day() -> Day:
    orders = sample_orders()
    return Day(
        [event for order in orders if order.story in FIRST_IN_THE_RUSH for event in _placed_and_paid(order)],
        [event for order in orders if order.story == "in the rush" for event in _placed_and_paid(order)],
        [event for order in orders if order.story == "after the rush" for event in _placed_and_paid(order)],
        [event for order in orders if order.story in STORIES for event in _placed_and_paid(order)],
        [event for order in orders for event in _while_waiting(order)],
        [event for order in orders for event in _after_the_grant(order)],
    )


def _placed_and_paid(order: SampleOrder) -> Iterator[Event]:
    placed, paid = order.ordered_at, order.ordered_at + timedelta(minutes=2)
    yield _event("OrderPlaced", order, "placed", placed, order=order.order)
    if order.story == "never paid":
        return
    if order.story == "failed, then paid":
        yield _event("PaymentFailed", order, "failed", placed + timedelta(minutes=1), attempt=1)
    if order.story == "back before paid":
        yield _returned(order, "early", placed + timedelta(minutes=1), "all")
    if order.story == "shipped before paid":
        yield _shipped(order, placed + timedelta(minutes=1))
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
    if order.story == "shipped":
        yield _shipped(order, next_day)


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
    if order.story in ("all back later", *COUPONS_BACK):
        yield _returned(order, "all", later, "all")
    if order.order["member_id"] == f"{MERGED}-OLD":
        yield _returned(order, "all", later, "all", member_id=MERGED)


def _piece(line: dict[str, Any]) -> dict[str, Any]:
    return {"line": line["line"], "quantity": 1}


def _returned(order: SampleOrder, name: str, at: datetime, lines: object, **more: object) -> Event:
    return_id = f"{order.order_group}-{name}"
    return _event("OrderReturned", order, f"return-{name}", at, return_id=return_id, lines=lines, **more)


def _shipped(order: SampleOrder, at: datetime) -> Event:
    return _event("OrderShipped", order, "shipped", at, shipped_at=at.isoformat())


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
