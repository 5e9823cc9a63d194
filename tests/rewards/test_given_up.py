"""Letters: of a message that a step gave up, and of all that AWS puts into a dead-letter queue."""

import json
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from rewards import __version__
from rewards.errors import Invalid, TooNew
from rewards.given_up import letter_in, parked
from rewards.letters import Letter
from rewards.messages import Message
from rewards.tasks import Task, task_of
from tests.builders import ORDERED_AT, a_reward, its_due_keys

NOW = ORDERED_AT + timedelta(hours=4)
AWS = "arn:aws:{}:ap-northeast-1:123456789012:{}"
BOOK_QUEUE = AWS.format("sqs", "Rewards-BookQueue")
DEAD_LETTERS = AWS.format("sqs", "Rewards-BookQueueDeadLetters")
PAID = json.dumps({"detail-type": "PaymentCompleted", "detail": {"shop_id": "1", "order_group": "TG1", "order": {}}})


def a_message(body: str = PAID, **fields: Any) -> Message:
    ordinary = {
        "id": "m-1",
        "queue": DEAD_LETTERS,
        "source": BOOK_QUEUE,
        "receipt": "r-1",
        "attempts": 17,
        "first_received_at": ORDERED_AT,
    }
    return Message(**ordinary | {"body": body} | fields)


def test_a_step_writes_down_what_it_could_not_do_and_why() -> None:
    letter = parked(a_message(attempts=1), "invalid", Invalid("order.currency", "is missing"), step="book", now=NOW)
    assert letter == Letter(
        id="m-1",
        kind="invalid",
        step="book",
        source=BOOK_QUEUE,
        body=PAID,
        attempts=1,
        error="Invalid: order.currency: is missing",
        first_failed_at=ORDERED_AT,
        failed_at=NOW,
        service_version=__version__,
        shop_id="1",
        order_group="TG1",
    )


def test_a_letter_of_a_step_is_taken_out_of_its_queue_as_it_was_written() -> None:
    letter = parked(a_message(), "exhausted", RuntimeError("no table"), step="book", now=NOW)
    carried = a_message(msgspec.json.encode(letter).decode(), id="m-2", source=DEAD_LETTERS)
    assert letter_in(carried, now=NOW + timedelta(days=1)) == letter


def test_a_letter_of_a_later_version_waits_for_the_code_that_knows_it() -> None:
    with pytest.raises(TooNew):
        letter_in(a_message('{"type": "Letter", "v": 2, "news": true}'), now=NOW)


@pytest.mark.parametrize(
    "odd", [{"id": "x" * 201}, {"id": ""}, {"step": ""}, {"first_failed_at": "0999-01-01T00:00:00Z"}], ids=str
)
def test_a_letter_that_nobody_could_file_is_kept_as_a_message_like_any_other(odd: dict[str, str]) -> None:
    letter = parked(a_message(), "exhausted", RuntimeError("no table"), step="book", now=NOW)
    body = json.dumps(json.loads(msgspec.json.encode(letter)) | odd)
    kept = letter_in(a_message(body, id="m-2", source=DEAD_LETTERS), now=NOW)
    assert (kept.kind, kept.id, kept.body) == ("crashed", "m-2", body)


def test_what_sqs_moved_has_crashed_and_nobody_knows_why() -> None:
    letter = letter_in(a_message(), now=NOW)
    assert (letter.kind, letter.step, letter.source, letter.error) == ("crashed", "Rewards-BookQueue", BOOK_QUEUE, None)
    assert (letter.attempts, letter.first_failed_at, letter.failed_at) == (17, ORDERED_AT, NOW)
    assert (letter.shop_id, letter.order_group, letter.promotion_id) == ("1", "TG1", None)


@pytest.mark.parametrize("task", [task_of(a_reward()), Task((its_due_keys(a_reward()).sort,))], ids=["group", "key"])
def test_a_task_for_one_reward_names_its_row(task: Task) -> None:
    letter = letter_in(a_message(msgspec.json.encode(task).decode()), now=NOW)
    assert (letter.shop_id, letter.order_group, letter.promotion_id) == a_reward().id


@pytest.mark.parametrize("kind", ["OrderArchived", "orderplaced", ""])
def test_an_event_of_a_kind_nobody_takes_is_invalid(kind: str) -> None:
    body = json.dumps({"detail-type": kind, "detail": {"shop_id": "1", "order_group": "TG1"}})
    letter = letter_in(a_message(body), now=NOW)
    assert (letter.kind, letter.step) == ("invalid", "orders_bus")
    assert letter.error
    assert letter.error.startswith(f"detail-type: '{kind}' is not one of OrderPlaced, ")
    assert (letter.shop_id, letter.order_group) == ("1", "TG1")


@pytest.mark.parametrize(
    ("name", "arn"),
    [
        ("RULE_ARN", AWS.format("events", "rule/OrdersBus/the-thing")),
        ("SCHEDULE_ARN", AWS.format("scheduler", "schedule/default/the-thing")),
    ],
)
def test_what_a_rule_or_a_schedule_could_not_deliver_says_so_in_its_attributes(name: str, arn: str) -> None:
    told = {name: arn, "ERROR_CODE": "NO_PERMISSIONS", "ERROR_MESSAGE": "not allowed", "RETRY_ATTEMPTS": "2"}
    letter = letter_in(a_message(attributes=told, attempts=1), now=NOW)
    assert (letter.kind, letter.step, letter.source) == ("crashed", "the-thing", arn)
    assert (letter.error, letter.attempts) == ("NO_PERMISSIONS: not allowed", 3)
    assert (letter.body, letter.attributes) == (PAID, told)


def failed_call(**fields: Any) -> str:
    """What Lambda sends to the on-failure destination of a function called asynchronously."""
    call = {
        "version": "1.0",
        "requestContext": {
            "requestId": "e4b46cbf",
            "functionArn": AWS.format("lambda", "function:Rewards-plan:$LATEST"),
            "condition": "RetriesExhausted",
            "approximateInvokeCount": 3,
        },
        "requestPayload": {"execute_time": "2026-11-09T18:01:00Z"},
    }
    return json.dumps(call | fields)


def test_an_asynchronous_failure_carries_its_last_error() -> None:
    body = failed_call(responsePayload={"errorType": "KeyError", "errorMessage": "'SHARDS'"})
    letter = letter_in(a_message(body, attempts=1), now=NOW)
    assert (letter.kind, letter.step) == ("crashed", "Rewards-plan")
    assert (letter.error, letter.attempts, letter.body) == ("KeyError: 'SHARDS'", 3, body)


def test_a_call_that_was_never_answered_carries_the_condition() -> None:
    assert letter_in(a_message(failed_call()), now=NOW).error == "RetriesExhausted"


@pytest.mark.parametrize("body", ["", "no JSON", "[1, 2]", '"Letter"', '{"detail": 1}', "[" * 100_000])
def test_whatever_lies_in_a_dead_letter_queue_can_be_kept(body: str) -> None:
    letter = letter_in(a_message(body), now=NOW)
    assert (letter.kind, letter.body) == ("crashed", body)
