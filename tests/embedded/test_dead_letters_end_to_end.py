"""From what fails in every way there is to its letter, and by `rewards redrive` to what it should have been."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from adapters.coupon_items import coupon_key
from adapters.coupon_pool import DynamoCouponPool
from adapters.items import history_item, reward_item
from ops import clock, dispatch
from ops.cli import app
from ops.demo.day import Event
from ops.demo.orders import MIDNIGHT
from ops.orders import Shown, look_up
from ops.promotions import read as read_promotions
from ops.promotions import store
from ops.send import problem_of
from ops.send import read as read_events
from ops.stack import Stack
from ops.stillness import wait_until_still
from rewards.order import OrderId
from rewards.promotion import ECoupon, Promotion
from rewards.status import Status
from tests.builders import a_promotion
from tests.embedded.test_orders_end_to_end import SAMPLES, events_of, happen

pytestmark = pytest.mark.xdist_group("embedded")

SHOP = "of dead letters"
NINE = MIDNIGHT + timedelta(days=1, hours=9)
POINTS = a_promotion(promotion_id="points", days=0)
LATER_POINTS = a_promotion(promotion_id="later", days=7)
Rewards = Callable[..., Any]


@pytest.fixture
def rewards(data: Path, stack: Stack) -> Rewards:
    """The operator's command, and what it prints for programs; after a redrive the stack has come to rest."""

    def run(*arguments: str, status: int = 0) -> Any:
        ran = CliRunner().invoke(app, [*arguments, "--json"], env={"REWARDS_DATA": str(data)})
        assert ran.exit_code == status, ran.output
        if arguments[0] == "redrive":
            wait_until_still(stack, patience=60)
        return json.loads(ran.stdout)

    return run


@pytest.fixture(autouse=True)
def _at_nine(stack: Stack) -> None:
    clock.move_to(stack, NINE)


def sell(stack: Stack, shop: str, *promotions: Promotion) -> None:
    store([replace(promotion, shop_id=shop) for promotion in promotions], stack)


def of_shop(shop: str, *events: Event) -> list[Event]:
    return [{**event, "detail": {**event["detail"], "shop_id": shop}} for event in events]


def shown(stack: Stack, shop: str, order_group: str) -> Shown:
    return look_up(OrderId(shop, order_group), stack)


def listed(rewards: Rewards, shop: str) -> list[Any]:
    letters: list[Any] = rewards("dead-letters", "list", "--shop", shop)["letters"]
    return letters


@contextmanager
def a_step_that_dies(stack: Stack) -> Iterator[None]:
    """`book` cannot even be started, and its queue gives up at once."""
    (url,) = (url for url in json.loads(stack["WorkQueueUrls"]) if "BookQueue" in url)
    names: Any = ["VisibilityTimeout", "RedrivePolicy"]
    usual = stack.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    policy = json.dumps({**json.loads(usual["RedrivePolicy"]), "maxReceiveCount": 1})
    functions = stack.functions.list_functions()["Functions"]
    (book,) = (each["FunctionName"] for each in functions if each["Handler"] == "steps.book.handler")
    stack.sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "1", "RedrivePolicy": policy})
    stack.functions.update_function_configuration(FunctionName=book, Handler="steps.gone.handler")
    try:
        yield
    finally:
        stack.functions.update_function_configuration(FunctionName=book, Handler="steps.book.handler")
        stack.sqs.set_queue_attributes(QueueUrl=url, Attributes=usual)


def test_an_event_that_its_step_dies_of_is_redriven_once_the_step_is_mended(stack: Stack, rewards: Rewards) -> None:
    shop = f"{SHOP}, crashed"
    sell(stack, shop, POINTS)
    with a_step_that_dies(stack):
        happen(stack, *of_shop(shop, *events_of("CRASHED", "PaymentCompleted")))
    (letter,) = listed(rewards, shop)
    assert (letter["kind"], letter["step"], letter["order_group"]) == ("crashed", "book", "CRASHED")

    assert rewards("redrive", "--shop", shop, "--dry-run")["would_be_redriven"][0]["letters"] == 1
    assert rewards("redrive", "--kind", "crashed", "--shop", shop)["redriven"] == 1
    (row,) = shown(stack, shop, "CRASHED").rewards
    assert row.status is Status.REWARD
    assert listed(rewards, shop) == []
    assert rewards("redrive", letter["name"])["taken"] == 1, "another operator comes too late"


def test_what_nobody_can_ever_take_is_parked_again_and_says_how_often(stack: Stack, rewards: Rewards) -> None:
    shop = f"{SHOP}, unknown"
    (paid,) = of_shop(shop, *events_of("UNKNOWN", "PaymentCompleted"))
    poison = {**paid, "detail": {**paid["detail"], "order": "a secret"}}
    happen(stack, {**paid, "detail-type": "PaymentArchived"}, poison)
    for times in range(2):
        letters = listed(rewards, shop)
        assert sorted((each["kind"], each["times_redriven"]) for each in letters) == [("invalid", times)] * 2
        assert rewards("redrive", "--kind", "invalid", "--shop", shop)["redriven"] == 2


def test_a_coupon_that_expired_is_granted_and_a_refused_recycle_is_done(stack: Stack, rewards: Rewards) -> None:
    shop = f"{SHOP}, of coupons"
    pool = DynamoCouponPool(stack.dynamodb, stack["CouponsTableName"])
    sell(stack, shop, a_promotion(ECoupon("TEA", quantity=2), promotion_id="tea", days=0))
    paid, returned = of_shop(shop, *events_of("COUPONS", "PaymentCompleted", "OrderReturned"))
    returned["detail"]["lines"] = "all"
    happen(stack, paid)
    dispatch.run(stack, NINE + timedelta(days=14, hours=2))
    (letter,) = listed(rewards, shop)
    assert (letter["kind"], letter["step"]) == ("expired", "grant_coupon")

    pool.add_stock(shop, "TEA", 2)
    assert rewards("redrive", "--kind", "expired", "--step", "grant_coupon")["redriven"] == 1
    (row,) = shown(stack, shop, "COUPONS").rewards
    assert (row.status, len(row.codes)) == (Status.REWARD, 2)

    lost: Any = {"TableName": stack["CouponsTableName"], "Key": coupon_key(shop, row.codes[0])}
    item = stack.dynamodb.get_item(**lost)["Item"]
    stack.dynamodb.delete_item(**lost)
    happen(stack, returned)
    (letter,) = listed(rewards, shop)
    assert (letter["kind"], letter["step"]) == ("refused", "recycle_coupon")

    stack.dynamodb.put_item(TableName=stack["CouponsTableName"], Item=item)
    assert rewards("redrive", "--promotion", "tea", "--kind", "refused")["redriven"] == 1
    (row,) = shown(stack, shop, "COUPONS").rewards
    assert (row.recycle_points, row.held, row.due) == (2, None, None)
    by = [
        change.reason.split(" by ")[0] for change in shown(stack, shop, "COUPONS").history if change.actor == "redrive"
    ]
    assert by == ["redriven", "redriven"]


def test_the_rehearsal_of_the_page_goes_as_it_says(stack: Stack, rewards: Rewards) -> None:
    shop = f"{SHOP}, rehearsed"
    sell(stack, shop, *read_promotions(SAMPLES / "promotions.json"))
    for sample in ("orders.jsonl", "dead-letters.jsonl"):
        events: list[Any] = [event for _, event in read_events(SAMPLES / sample)]
        assert [problem_of(event) for event in events] == [None] * len(events), "`rewards send` takes them"
        happen(stack, *of_shop(shop, *events))
    assert [(each["kind"], each["step"]) for each in listed(rewards, shop)] == [("invalid", "withdraw")]
    assert rewards("redrive", "--kind", "invalid", "--shop", shop)["redriven"] == 1
    assert [each["times_redriven"] for each in listed(rewards, shop)] == [1]

    dispatch.run(stack, NINE + timedelta(days=15))
    (letter,) = rewards("dead-letters", "list", "--kind", "expired", "--shop", shop)["letters"]
    assert letter["order_group"] == "SAMPLE-3"
    rewards("coupons", "add", shop, "10-OFF-TEA", "--count", "2")
    assert rewards("redrive", "--kind", "expired", "--shop", shop)["redriven"] == 1
    assert [len(row.codes) for row in shown(stack, shop, "SAMPLE-3").rewards if row.reward_type == "ECoupon"] == [2]


def test_what_the_stream_could_not_deliver_is_told_after_all(stack: Stack, rewards: Rewards) -> None:
    shop = f"{SHOP}, set aside"
    sell(stack, shop, LATER_POINTS)
    happen(stack, *of_shop(shop, *events_of("ASIDE", "PaymentCompleted")))
    found = shown(stack, shop, "ASIDE")
    (row,), (told,) = found.rewards, found.history
    set_aside(stack, reward_item(row))
    wait_until_still(stack, patience=60)
    (letter,) = listed(rewards, shop)
    assert (letter["kind"], letter["step"], letter["promotion_id"]) == ("exhausted", "publish", "later")

    keys: Any = {name: history_item(told)[name] for name in ("Order", "Item")}
    stack.dynamodb.delete_item(TableName=stack["LedgerTableName"], Key=keys)
    assert rewards("redrive", "--shop", shop)["redriven"] == 1
    assert shown(stack, shop, "ASIDE").history == [told]


def test_a_row_that_a_hand_has_garbled_is_set_aside_and_holds_up_no_other(stack: Stack, rewards: Rewards) -> None:
    shop = f"{SHOP}, garbled"
    sell(stack, shop, LATER_POINTS)
    happen(stack, *of_shop(shop, *events_of("GARBLED", "PaymentCompleted")))
    (row,) = shown(stack, shop, "GARBLED").rewards
    garbled = {**reward_item(row), "Status": {"S": "Bogus"}}
    stack.dynamodb.put_item(TableName=stack["LedgerTableName"], Item=garbled)
    happen(stack, *of_shop(shop, *events_of("BEHIND", "PaymentCompleted")))
    assert len(shown(stack, shop, "BEHIND").history) == 1
    for _ in range(200):  # nothing tells that a reader has given up
        wait_until_still(stack, patience=60)
        if len(listed(rewards, shop)) == 2:
            break
    assert sorted(each["step"] for each in listed(rewards, shop)) == ["audit", "publish"]
    assert {each["order_group"] for each in listed(rewards, shop)} == {"GARBLED"}

    stack.dynamodb.put_item(TableName=stack["LedgerTableName"], Item=reward_item(row))
    happen(stack, *of_shop(shop, *events_of("BEHIND THE MENDED", "PaymentCompleted")))
    assert len(shown(stack, shop, "BEHIND THE MENDED").history) == 1
    assert len(listed(rewards, shop)) == 2, "it is mended without a word"


def set_aside(stack: Stack, image: dict[str, Any]) -> None:
    """As Lambda does with a record that a stream's reader gave up."""
    functions = stack.functions.list_functions()["Functions"]
    (arn,) = (each["FunctionArn"] for each in functions if each["Handler"] == "steps.publish.handler")
    keys = {name: image[name] for name in ("Order", "Item")}
    record = {"eventID": "e-1", "dynamodb": {"Keys": keys, "NewImage": image, "SequenceNumber": "1"}}
    invocation = {
        "requestContext": {"functionArn": arn, "condition": "RetryAttemptsExhausted", "approximateInvokeCount": 11},
        "timestamp": "2026-11-12T01:00:00.000Z",
        "DDBStreamBatchInfo": {"approximateArrivalOfFirstRecord": "2026-11-12T00:59:00Z"},
        "payload": json.dumps({"Records": [record]}),
    }
    stack.s3.put_object(
        Bucket=stack["LettersBucketName"], Key="aws/lambda/6f0e/shardId-1/x", Body=json.dumps(invocation).encode()
    )
