import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.errors import Invalid, TooNew
from rewards.events import parse_order_placed, parse_order_shipped, parse_payment_completed, parse_reverse_event
from rewards.order import OrderId, ReturnedLine

GOLDEN = Path(__file__).parent.parent / "golden" / "events"
Parser = Callable[[str], Any]
PARSERS: dict[str, Parser] = {
    "OrderPlaced": parse_order_placed,
    "PaymentCompleted": parse_payment_completed,
    "PaymentFailed": parse_reverse_event,
    "OrderShipped": parse_order_shipped,
    "OrderCancelled": parse_reverse_event,
    "OrderReturned": parse_reverse_event,
}


def golden(kind: str) -> dict[str, Any]:
    return json.loads((GOLDEN / f"{kind}.v1.json").read_text())  # type: ignore[no-any-return]


def changed(kind: str, path: str, value: object) -> str:
    """The golden event with one value set, or with `...` taken away, at a path within the detail."""
    event = golden(kind)
    *parents, name = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = event["detail"]
    for parent in parents:
        place = place[parent]
    if value is ...:
        del place[name]
    else:
        place[name] = value
    return json.dumps(event)


def parsed(kind: str, path: str, value: object) -> Any:
    return PARSERS[kind](changed(kind, path, value))


def refusal(kind: str, path: str, value: object) -> str:
    with pytest.raises(Invalid) as refused:
        parsed(kind, path, value)
    return str(refused.value)


@pytest.mark.parametrize("kind", PARSERS)
def test_a_step_refuses_events_that_are_not_for_it_by_their_name(kind: str) -> None:
    for parse in {*PARSERS.values()} - {PARSERS[kind]}:
        with pytest.raises(Invalid, match=rf"^detail-type: '{kind}' is not one of "):
            parse(json.dumps(golden(kind)))


def test_an_event_nobody_knows_is_refused_by_its_name() -> None:
    with pytest.raises(Invalid, match=r"^detail-type: 'OrderLost' is not one of PaymentFailed, OrderCancelled"):
        parse_reverse_event(json.dumps(golden("OrderReturned") | {"detail-type": "OrderLost"}))


@pytest.mark.parametrize("kind", PARSERS)
def test_an_event_of_a_later_version_is_too_new_whatever_else_it_holds(kind: str) -> None:
    with pytest.raises(TooNew):
        PARSERS[kind](json.dumps({"detail-type": "Renamed", "detail": {"v": 2}}))
    assert parsed(kind, "v", ...) == parsed(kind, "v", 1)


@pytest.mark.parametrize("kind", PARSERS)
def test_fields_nobody_asks_for_are_ignored(kind: str) -> None:
    assert parsed(kind, "gift_wrap", {"paper": "red"}) == PARSERS[kind](json.dumps(golden(kind)))


@pytest.mark.parametrize("kind", PARSERS)
@pytest.mark.parametrize("field", ["event_id", "occurred_at", "shop_id", "order_group"])
def test_every_event_says_what_it_is_and_when_and_of_which_order(kind: str, field: str) -> None:
    assert refusal(kind, field, ...) == f"{field}: is missing"
    assert refusal(kind, field, None) == f"{field}: is missing"
    assert refusal(kind, field, 7).startswith(f"{field}: 7 is not a ")


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("order", ..., "order: is missing"),
        ("order", [], "order: [] is not an object"),
        ("order.source", "Web", "order.source: 'Web' is not one of ECom, Others"),
        ("order.currency", "twd", "order.currency: 'twd' is not a currency code"),
        ("order.ordered_at", "2026-11-03T12:00:00", "order.ordered_at: '2026-11-03T12:00:00' is not a time with an"),
        ("order.ordered_at", "9999-12-31T00:00:00Z", "order.ordered_at: 9999 is no year of trade"),
        ("order.ordered_at", "1900-01-01T00:00:00Z", "order.ordered_at: 1900 is no year of trade"),
        ("order.member_id", 12345, "order.member_id: 12345 is not a string"),
        ("order.lines", ..., "order.lines: is missing"),
        ("order.lines", [], "order.lines: has 0 items, not 1 to 200"),
        ("order.lines", "all", "order.lines: 'all' is not a list"),
        ("order.lines.1", "TS2", "order.lines[1]: 'TS2' is not an object"),
        ("order.lines.1.line", "ＴＳ１", "order.lines[1].line: 'TS1' is there twice"),
        ("order.lines.1.line", "x" * 101, "order.lines[1].line: 'xxx"),
        ("order.lines.1.sku", ..., "order.lines[1].sku: is missing"),
        ("order.lines.1.categories", "Hats", "order.lines[1].categories: 'Hats' is not a list"),
        ("order.lines.1.quantity", 0, "order.lines[1].quantity: 0 is not between 1 and 1,000,000"),
        ("order.lines.1.quantity", "1", "order.lines[1].quantity: '1' is not a whole number"),
        ("order.lines.1.quantity", 1.0, "order.lines[1].quantity: 1.0 is not a whole number"),
        ("order.lines.1.quantity", True, "order.lines[1].quantity: True is not a whole number"),
        ("order.lines.1.amount", 590, "order.lines[1].amount: 590 is not a decimal string"),
        ("order.lines.1.amount", "1e3", "order.lines[1].amount: '1e3' is not a decimal string"),
        ("order.lines.1.amount", "-0", "order.lines[1].amount: '-0' is not a decimal string"),
    ],
)
@pytest.mark.parametrize("kind", ["OrderPlaced", "PaymentCompleted"])
def test_an_order_is_refused_by_the_path_to_what_is_wrong(kind: str, path: str, value: object, problem: str) -> None:
    assert refusal(kind, path, value).startswith(problem)


@pytest.mark.parametrize("guest", [..., None, "", "0", "０", " "])
def test_an_order_without_a_member_is_a_guests_and_no_error(guest: object) -> None:
    assert parsed("PaymentCompleted", "order.member_id", guest).order.member_id is None


def test_identifiers_cross_the_border_here() -> None:
    assert parsed("PaymentCompleted", "order_group", "\u3000ＴＧ１ ").order.id == OrderId("1", "TG1")
    assert parsed("PaymentCompleted", "order.lines.0.sku", "ＳＨＯＥ－４２").order.lines[0].sku == "SHOE-42"


def lines(count: int) -> list[dict[str, Any]]:
    return [{"line": f"TS{number}", "sku": "S", "quantity": 1, "amount": "1"} for number in range(count)]


def test_an_order_has_at_most_two_hundred_lines() -> None:
    assert len(parsed("PaymentCompleted", "order.lines", lines(200)).order.lines) == 200
    assert refusal("PaymentCompleted", "order.lines", lines(201)) == "order.lines: has 201 items, not 1 to 200"


@pytest.mark.parametrize("kind", PARSERS)
def test_an_event_is_under_256_kilobytes(kind: str) -> None:
    with pytest.raises(Invalid, match="must be under 262,144"):
        parsed(kind, "note", "x" * 256 * 1024)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("return_id", ..., "return_id: is missing"),
        ("return_id", "", "return_id: is empty"),
        ("lines", ..., "lines: is missing"),
        ("lines", "some", "lines: 'some' is not a list"),
        ("lines", [], "lines: has 0 items, not 1 to 200"),
        ("lines.1.line", "TS1", "lines[1].line: 'TS1' is there twice"),
        ("lines.0.quantity", 0, "lines[0].quantity: 0 is not between"),
        ("lines.0.quantity", ..., "lines[0].quantity: is missing"),
        ("lines.0.amount", 100, "lines[0].amount: 100 is not a decimal string"),
        ("lines.0.amount", "-100", "lines[0].amount: '-100' is not a decimal string"),
        ("currency", ..., "currency: is missing"),
        ("currency", "NT", "currency: 'NT' is not a currency code"),
    ],
)
def test_a_return_is_refused_by_the_path_to_what_is_wrong(path: str, value: object, problem: str) -> None:
    assert refusal("OrderReturned", path, value).startswith(problem)


def test_pieces_without_an_amount_need_no_currency_but_may_name_it() -> None:
    event = golden("OrderReturned")
    del event["detail"]["lines"][1]["amount"]
    assert parse_reverse_event(json.dumps(event)).returned.currency == "TWD"  # type: ignore[union-attr]
    del event["detail"]["currency"]
    returned = parse_reverse_event(json.dumps(event)).returned  # type: ignore[union-attr]
    assert returned.currency is None
    assert returned.lines == (ReturnedLine("TS1", 1), ReturnedLine("TS2", 1))


@pytest.mark.parametrize(("attempt", "kept"), [(2, "2"), ("2", "2"), ("try-２", "try-2")])
def test_a_payment_attempt_has_a_number_or_a_name(attempt: object, kept: str) -> None:
    assert parsed("PaymentFailed", "attempt", attempt).attempt == kept


@pytest.mark.parametrize("attempt", [..., None, True, 1.5, ""])
def test_a_payment_attempt_that_is_neither_is_refused(attempt: object) -> None:
    assert refusal("PaymentFailed", "attempt", attempt).startswith("attempt: ")


@pytest.mark.parametrize("body", ["", "{}", "[]", '"x"', '{"detail-type": "OrderPlaced"}', '{"detail": 7}', "{"])
@pytest.mark.parametrize("parse", dict.fromkeys(PARSERS.values()))
def test_what_is_no_event_is_refused(parse: Parser, body: str) -> None:
    with pytest.raises(Invalid):
        parse(body)


@given(st.text())
def test_no_text_makes_reading_crash(body: str) -> None:
    for parse in PARSERS.values():
        with pytest.raises(Invalid):
            parse(body)
