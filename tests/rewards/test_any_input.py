"""Whatever comes from outside, a parser raises nothing but our own errors: all else would be tried again for hours."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.crm_messages import parse_batch, parse_collection
from rewards.errors import RewardsError
from rewards.events import (
    parse_order_placed,
    parse_order_shipped,
    parse_payment_completed,
    parse_reverse_event,
)
from rewards.planning import parse_run
from rewards.promotions import parse_promotions
from rewards.tasks import parse_task, parse_window
from tests.builders import NOW, a_written_promotion
from tests.rewards.spoilt import anything, spoilt

GOLDEN = Path(__file__).parent.parent / "golden"


def golden(path: str) -> object:
    return json.loads((GOLDEN / f"{path}.v1.json").read_text())


PARSERS: dict[str, tuple[Callable[[str], object], object]] = {
    "OrderPlaced": (parse_order_placed, golden("events/OrderPlaced")),
    "PaymentCompleted": (parse_payment_completed, golden("events/PaymentCompleted")),
    "OrderShipped": (parse_order_shipped, golden("events/OrderShipped")),
    "OrderReturned": (parse_reverse_event, golden("events/OrderReturned")),
    "PaymentFailed": (parse_reverse_event, golden("events/PaymentFailed")),
    "Promotion": (parse_promotions, a_written_promotion()),
    "Task": (parse_task, golden("messages/Task")),
    "Task of keys": (parse_task, golden("messages/Task.keys")),
    "Task of a list": (parse_task, golden("messages/Task.listed")),
    "ShardWindow": (parse_window, golden("messages/ShardWindow")),
    "ShardWindow, sent on": (parse_window, golden("messages/ShardWindow.rest")),
    "Collection of a shop": (parse_collection, golden("messages/Collection.shop")),
    "Collection of a file": (parse_collection, golden("messages/Collection.file")),
    "Collection of a file's rest": (parse_collection, golden("messages/Collection.rest")),
    "Batch": (parse_batch, golden("messages/Batch")),
}


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_what_is_spoilt_anywhere_is_read_or_refused_with_our_own_error(name: str, data: st.DataObject) -> None:
    parse, good = PARSERS[name]
    parse(json.dumps(good))
    with suppress(RewardsError):
        parse(json.dumps(data.draw(spoilt(good))))


@pytest.mark.parametrize("name", PARSERS)
@given(text=anything)
def test_what_is_no_message_at_all_is_refused_with_our_own_error(name: str, text: str) -> None:
    parse, _ = PARSERS[name]
    with pytest.raises(RewardsError):
        parse(text)


@given(event=spoilt({"kind": "reward", "execute_time": "2026-11-03T04:01:00Z"}))
def test_what_calls_the_planner_is_a_run_or_refused_with_our_own_error(event: object) -> None:
    with suppress(RewardsError):
        parse_run(event, NOW)
