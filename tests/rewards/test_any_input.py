"""Whatever comes from outside, a parser raises nothing but our own errors: all else would be tried again for hours."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.errors import RewardsError
from rewards.events import (
    parse_order_placed,
    parse_order_shipped,
    parse_payment_completed,
    parse_reverse_event,
)
from rewards.promotions import parse_promotions
from rewards.tasks import parse_task, parse_window
from tests.builders import a_written_promotion

GOLDEN = Path(__file__).parent.parent / "golden"
PARSERS: dict[str, tuple[Callable[[str], object], object]] = {
    "OrderPlaced": (parse_order_placed, json.loads((GOLDEN / "events/OrderPlaced.v1.json").read_text())),
    "PaymentCompleted": (parse_payment_completed, json.loads((GOLDEN / "events/PaymentCompleted.v1.json").read_text())),
    "OrderShipped": (parse_order_shipped, json.loads((GOLDEN / "events/OrderShipped.v1.json").read_text())),
    "OrderReturned": (parse_reverse_event, json.loads((GOLDEN / "events/OrderReturned.v1.json").read_text())),
    "PaymentFailed": (parse_reverse_event, json.loads((GOLDEN / "events/PaymentFailed.v1.json").read_text())),
    "Promotion": (parse_promotions, a_written_promotion()),
    "Task": (parse_task, json.loads((GOLDEN / "messages/Task.v1.json").read_text())),
    "ShardWindow": (parse_window, json.loads((GOLDEN / "messages/ShardWindow.v1.json").read_text())),
}
odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        ["1e3", "-0", "NaN", "²", "٣", "𝟏", "\ud800", "\x00", "0" * 400, "2026-02-30T00:00:00Z", "1" * 5000]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """The value with something odd in one place, at any depth."""
    if draw(st.integers(0, 3)) == 0 or not isinstance(value, dict | list) or not value:
        return draw(odd)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from(keys))
    changed = dict(value) if isinstance(value, dict) else list(value)
    if isinstance(changed, dict) and draw(st.integers(0, 5)) == 0:
        del changed[key]
    else:
        changed[key] = draw(spoilt(value[key]))
    return changed


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_what_is_spoilt_anywhere_is_read_or_refused_with_our_own_error(name: str, data: st.DataObject) -> None:
    parse, good = PARSERS[name]
    parse(json.dumps(good))
    with suppress(RewardsError):
        parse(json.dumps(data.draw(spoilt(good))))


@pytest.mark.parametrize("name", PARSERS)
@given(text=st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_what_is_no_message_at_all_is_refused_with_our_own_error(name: str, text: str) -> None:
    parse, _ = PARSERS[name]
    with pytest.raises(RewardsError):
        parse(text)
