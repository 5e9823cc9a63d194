"""Events of the ordinary order, and returns of it."""

from datetime import datetime

from rewards.events import OrderPlaced, OrderReversed, OrderShipped, PaymentCompleted, PaymentFailed
from rewards.order import Order, Return
from tests.builders import ORDERED_AT, an_order


def placed(order: Order, at: datetime = ORDERED_AT) -> OrderPlaced:
    return OrderPlaced(event_id=f"placed at {at}", occurred_at=at, order=order)


def failed(order: Order, attempt: str = "1") -> PaymentFailed:
    return PaymentFailed(event_id=f"failed {attempt}", occurred_at=ORDERED_AT, order_id=order.id, attempt=attempt)


def paid(order: Order, event_id: str = "paid") -> PaymentCompleted:
    return PaymentCompleted(event_id=event_id, occurred_at=ORDERED_AT, order=order)


PAID = paid(an_order())


def reversed_by(return_id: str, returned: Return, order: Order = PAID.order) -> OrderReversed:
    return OrderReversed(
        event_id=f"of {return_id}", occurred_at=ORDERED_AT, order_id=order.id, return_id=return_id, returned=returned
    )


def shipped(at: datetime, order: Order = PAID.order) -> OrderShipped:
    return OrderShipped(event_id=f"shipped at {at}", occurred_at=at, order_id=order.id, shipped_at=at)
