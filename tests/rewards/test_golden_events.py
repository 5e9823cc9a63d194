"""Messages of every version ever sent are read for ever: `tests/golden/events` keeps one of each."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from rewards.events import (
    OrderPlaced,
    OrderReversed,
    OrderShipped,
    PaymentCompleted,
    PaymentFailed,
    parse_order_placed,
    parse_order_shipped,
    parse_payment_completed,
    parse_reverse_event,
)
from rewards.order import Line, Order, OrderId, Return, ReturnedLine

GOLDEN = Path(__file__).parent.parent / "golden" / "events"
ID = OrderId("1", "TG20193021")


def at(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, second, tzinfo=UTC)


ORDER = Order(
    id=ID,
    member_id="0012345",
    source="ECom",
    currency="TWD",
    ordered_at=at(3, 4),
    lines=(Line("TS1", "SHOE-42", 3, Decimal("1000.00"), ("Shoes", "Sale")), Line("TS2", "HAT-7", 1, Decimal(590))),
)
CANCELLED = Return("all", at(4, 2), member_id="0012345")
RETURNED = Return((ReturnedLine("TS1", 1), ReturnedLine("TS2", 1, Decimal(500))), at(20, 2), currency="TWD")

EVENTS: dict[str, tuple[Callable[[str], object], object]] = {
    "OrderPlaced.v1": (
        parse_order_placed,
        OrderPlaced(event_id="evt-placed-1", occurred_at=at(3, 4, 0, 1), order=ORDER),
    ),
    "PaymentCompleted.v1": (
        parse_payment_completed,
        PaymentCompleted(event_id="evt-paid-1", occurred_at=at(3, 4, 5, 6), order=ORDER),
    ),
    "PaymentFailed.v1": (
        parse_reverse_event,
        PaymentFailed(event_id="evt-failed-1", occurred_at=at(3, 4, 3), order_id=ID, attempt="1"),
    ),
    "OrderShipped.v1": (
        parse_order_shipped,
        OrderShipped(event_id="evt-shipped-1", occurred_at=at(5, 1), order_id=ID, shipped_at=at(5, 0, 30)),
    ),
    "OrderCancelled.v1": (
        parse_reverse_event,
        OrderReversed(
            event_id="evt-cancelled-1", occurred_at=at(4, 2), order_id=ID, return_id="C1", returned=CANCELLED
        ),
    ),
    "OrderReturned.v1": (
        parse_reverse_event,
        OrderReversed(event_id="evt-returned-1", occurred_at=at(20, 2), order_id=ID, return_id="R1", returned=RETURNED),
    ),
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_reads_as_it_did_when_it_was_new(name: str) -> None:
    parse, event = EVENTS[name]
    assert parse((GOLDEN / f"{name}.json").read_text()) == event


def test_every_golden_event_is_read() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(EVENTS)
