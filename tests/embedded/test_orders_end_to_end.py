"""From an order event on the bus to the points in the wallet, through the deployed stack."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.wallet import DynamoWallet
from ops import dispatch
from ops.demo.day import Event
from ops.demo.orders import MIDNIGHT
from ops.embedded import cloud
from ops.orders import look_up
from ops.promotions import read, store
from ops.send import put
from ops.stack import Stack, embedded_stack
from ops.stillness import history_behind, wait_until_still
from ops.trouble import Trouble
from rewards.order import OrderId
from rewards.provider import Member
from rewards.status import Status
from tests.embedded.conftest import begin_at
from tests.ports import own_ports

pytestmark = pytest.mark.xdist_group("embedded")

SAMPLES = Path(__file__).parents[2] / "samples"
WORKDAY = MIDNIGHT + timedelta(days=1, minutes=1)
A_WEEK_LATER = MIDNIGHT + timedelta(days=7, hours=3, minutes=1)


@pytest.fixture(autouse=True)
def _on_the_day_after(stack: Stack) -> None:
    store(read(SAMPLES / "promotions.json"), stack)
    begin_at(stack, WORKDAY)


def happen(stack: Stack, *events: Event) -> None:
    put(list(events), stack.events, stack["OrdersBusName"])
    wait_until_still(stack, patience=60)


def events_of(order_group: str, *kinds: str) -> list[Event]:
    """The sample file's events, as told of another order."""
    text = (SAMPLES / "orders.jsonl").read_text().replace("SAMPLE-1", order_group).replace("M9001", order_group)
    events = [json.loads(line) for line in text.replace("sample-1", order_group).splitlines()]
    ours = [event for event in events if event["detail"]["order_group"] == order_group]
    return [next(event for event in ours if event["detail-type"] == kind) for kind in kinds]


def balance(stack: Stack, member: str) -> int:
    return DynamoWallet(stack.dynamodb, stack["WalletTableName"]).balance(Member("1", member))


def test_a_paid_order_earns_at_once_what_is_due_at_once_and_a_week_later_the_rest(stack: Stack) -> None:
    happen(stack, *events_of("WHOLE", "PaymentCompleted"))
    assert balance(stack, "WHOLE") == 50

    dispatch.run(stack, A_WEEK_LATER)

    assert balance(stack, "WHOLE") == 50 + 192 + 116 + 30
    assert {reward.status for reward in look_up(OrderId("1", "WHOLE"), stack).rewards} == {Status.REWARD}


def test_what_is_told_twice_is_granted_and_taken_back_once(stack: Stack) -> None:
    paid, returned = events_of("TWICE", "PaymentCompleted", "OrderReturned")
    happen(stack, paid, paid)
    dispatch.run(stack, A_WEEK_LATER)
    happen(stack, returned, returned)
    once = balance(stack, "TWICE")
    happen(stack, paid, returned)

    assert once == balance(stack, "TWICE") < 388
    taken = sum(reward.recycle_points for reward in look_up(OrderId("1", "TWICE"), stack).rewards)
    assert once + taken == 388


def test_the_history_names_every_change_without_a_gap(stack: Stack) -> None:
    happen(stack, *events_of("TOLD", "PaymentCompleted", "OrderReturned"))
    shown = look_up(OrderId("1", "TOLD"), stack)
    for reward in shown.rewards:
        changes = [change for change in shown.history if change.id == reward.id]
        assert [change.previous for change in changes] == [None, *(change.version for change in changes[:-1])]
        assert changes[-1].version == reward.changed_version


def test_a_change_that_could_not_be_told_is_told_once_it_can_be(stack: Stack) -> None:
    with a_ledger_that_publish_cannot_write_to(stack):
        put(events_of("UNTOLD", "PaymentCompleted"), stack.events, stack["OrdersBusName"])
        with pytest.raises(Trouble, match="history is behind"):
            wait_until_still(stack, patience=5)
    wait_until_still(stack, patience=60)
    assert not history_behind(stack)


@contextmanager
def a_ledger_that_publish_cannot_write_to(stack: Stack) -> Iterator[None]:
    (publish,) = (
        each for each in stack.functions.list_functions()["Functions"] if each["Handler"] == "steps.publish.handler"
    )
    usual = publish["Environment"]["Variables"]

    def know(variables: dict[str, str]) -> None:
        stack.functions.update_function_configuration(
            FunctionName=publish["FunctionName"], Environment={"Variables": variables}
        )

    know({**usual, "LEDGER_TABLE": "no such table"})
    try:
        yield
    finally:
        know(usual)


def test_an_event_that_can_never_be_right_becomes_a_letter(stack: Stack) -> None:
    (paid,) = events_of("WRONG", "PaymentCompleted")
    paid["detail"]["order"]["currency"] = "dollars"
    happen(stack, paid)
    letters = stack.dynamodb.scan(TableName=stack["LettersTableName"])["Items"]
    ours = [letter for letter in letters if letter.get("Order", {}).get("S") == "WRONG"]
    assert [letter["Kind"]["S"] for letter in ours] == ["invalid"]


def test_dispatch_asks_of_plan_and_sweep_what_their_schedules_would(stack: Stack) -> None:
    group = stack["ScheduleGroupName"]
    names = [each["Name"] for each in stack.scheduler.list_schedules(GroupName=group)["Schedules"]]
    schedules = [stack.scheduler.get_schedule(GroupName=group, Name=name) for name in names]
    inputs: list[Any] = [json.loads(schedule["Target"]["Input"]) for schedule in schedules]
    assert {schedule["ScheduleExpressionTimezone"] for schedule in schedules} == {"Asia/Taipei"}
    at = "<aws.scheduler.scheduled-time>"
    assert sorted(inputs, key=str) == sorted((event for _, event in dispatch.scheduled_calls(at)), key=str)


def test_a_cloud_that_was_stopped_goes_on_with_what_it_held(data: Path, stack: Stack) -> None:
    happen(stack, *events_of("KEPT", "PaymentCompleted"))
    running = cloud.running(data)
    assert running
    cloud.stop(data, running)
    assert cloud.running(data) is None

    again = embedded_stack(cloud.start(data, "cloud", ports=own_ports()))
    assert balance(again, "KEPT") == 50
    happen(again, *events_of("AFTER", "PaymentCompleted"))
    assert balance(again, "AFTER") == 50
