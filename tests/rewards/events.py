"""Events of the ordinary order, and returns of it."""

from datetime import datetime

from rewards.events import OrderReversed, OrderShipped, PaymentCompleted
from rewards.order import Order, Return
from tests.builders import ORDERED_AT, an_order


def paid(order: Order, event_id: str = "paid") -> PaymentCompleted:
    return PaymentCompleted(event_id=event_id, occurred_at=ORDERED_AT, order=order)


PAID = paid(an_order())


def reversed_by(return_id: str, returned: Return, order: Order = PAID.order) -> OrderReversed:
    return OrderReversed(
        event_id=f"of {return_id}", occurred_at=ORDERED_AT, order_id=order.id, return_id=return_id, returned=returned
    )


def shipped(at: datetime, order: Order = PAID.order) -> OrderShipped:
    return OrderShipped(event_id=f"shipped at {at}", occurred_at=at, order_id=order.id, shipped_at=at)
