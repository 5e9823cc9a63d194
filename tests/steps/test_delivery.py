"""Delivery: what becomes of each message of a batch, with SQS as the steps meet it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import boto3
import pytest

import delivery
from delivery import DUE_WORK, ORDER_EVENTS, Retry
from rewards.errors import Invalid, TooNew
from rewards.messages import Message
from tests.builders import ORDERED_AT
from tests.steps.conftest import Cloud

Work = Callable[[Message], None]


def raising(error: Callable[[], Exception]) -> Work:
    """Work that fails for a body `bad` and succeeds for all else."""

    def work(message: Message) -> None:
        if message.body == "bad":
            raise error()

    return work


FAILS = raising(lambda: RuntimeError("no table"))
REFUSES = raising(lambda: Invalid("order.lines", "is missing"))
UNDERSTANDS_NOTHING = raising(lambda: TooNew(2, 1))


def come_back(answer: delivery.Answer) -> list[str]:
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def test_only_what_failed_comes_back(cloud: Cloud) -> None:
    event = cloud.deliver("good", "bad", "good")
    assert come_back(delivery.each(event, FAILS, retry=ORDER_EVENTS)) == ["message-1"]
    assert cloud.sent("LETTERS_QUEUE") == []


def test_what_can_never_be_right_is_parked_at_once_with_its_error(cloud: Cloud) -> None:
    event = cloud.deliver("bad", "good")
    for retry in (ORDER_EVENTS, DUE_WORK):
        assert come_back(delivery.each(event, REFUSES, retry=retry)) == []
        (letter,) = cloud.sent("LETTERS_QUEUE")
        assert (letter["kind"], letter["error"]) == ("invalid", "Invalid: order.lines: is missing")
        assert (letter["id"], letter["body"], letter["attempts"]) == ("message-0", "bad", 1)


def test_an_order_event_that_failed_on_its_last_try_is_parked_with_its_error(cloud: Cloud) -> None:
    before = cloud.deliver("bad", attempts=ORDER_EVENTS.tries - 1)
    assert come_back(delivery.each(before, FAILS, retry=ORDER_EVENTS)) == ["message-0"]
    last = cloud.deliver("bad", attempts=ORDER_EVENTS.tries)
    assert come_back(delivery.each(last, FAILS, retry=ORDER_EVENTS)) == []
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert (letter["kind"], letter["error"]) == ("exhausted", "RuntimeError: no table")
    assert (letter["attempts"], letter["step"]) == (ORDER_EVENTS.tries, delivery.logger.service)


def test_due_work_that_failed_three_times_is_left_to_the_sweep(cloud: Cloud) -> None:
    answers = [delivery.each(cloud.deliver("bad", attempts=n), FAILS, retry=DUE_WORK) for n in (1, 2, 3)]
    assert [come_back(answer) for answer in answers] == [["message-0"], ["message-0"], []]
    assert cloud.sent("LETTERS_QUEUE") == []


@pytest.mark.parametrize("retry", [ORDER_EVENTS, DUE_WORK])
def test_what_a_newer_version_wrote_comes_back_and_is_never_parked(cloud: Cloud, retry: Retry) -> None:
    event = cloud.deliver("bad", attempts=retry.tries + 3)
    assert come_back(delivery.each(event, UNDERSTANDS_NOTHING, retry=retry)) == ["message-0"]
    assert cloud.sent("LETTERS_QUEUE") == []


def test_a_message_that_cannot_be_parked_stays_a_failure(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LETTERS_QUEUE", "https://sqs.ap-northeast-1.amazonaws.com/123456789012/gone")
    event = cloud.deliver("bad", attempts=ORDER_EVENTS.tries)
    assert come_back(delivery.each(event, REFUSES, retry=ORDER_EVENTS)) == ["message-0"]
    assert come_back(delivery.each(event, FAILS, retry=ORDER_EVENTS)) == ["message-0"]


def test_without_a_retry_a_message_comes_back_for_ever(cloud: Cloud) -> None:
    event = cloud.deliver("good", "bad", attempts=1_000)
    assert come_back(delivery.each(event, REFUSES, retry=None)) == ["message-1"]
    assert cloud.sent("LETTERS_QUEUE") == []


def test_the_work_sees_what_the_queue_said_of_the_message(cloud: Cloud) -> None:
    event = cloud.deliver("body", attempts=2)
    record = event["Records"][0]
    record["attributes"]["DeadLetterQueueSourceArn"] = "arn:aws:sqs:ap-northeast-1:123456789012:BookQueue"
    record["messageAttributes"] = {"ERROR_CODE": {"stringValue": "NO_PERMISSIONS", "dataType": "String"}}
    seen: list[Message] = []
    delivery.each(event, seen.append, retry=None)
    assert seen == [
        Message(
            id="message-0",
            body="body",
            queue="arn:aws:sqs:ap-northeast-1:123456789012:LETTERS_QUEUE",
            source="arn:aws:sqs:ap-northeast-1:123456789012:BookQueue",
            receipt="receipt-0",
            attempts=2,
            first_received_at=ORDERED_AT,
            attributes={"ERROR_CODE": "NO_PERMISSIONS"},
        )
    ]


def test_on_the_embedded_cloud_a_letter_tells_all_its_times_by_the_clock_of_the_steps(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    offset = {"Item": {"S": "CLOCK"}, "OffsetSeconds": {"N": "-86400"}}
    boto3.client("dynamodb").put_item(TableName="CONTROL_TABLE", Item=offset)
    event = cloud.deliver("bad")
    cloud.travel(ORDERED_AT + timedelta(hours=4))
    monkeypatch.setenv("EMBEDDED_CLOCK", "true")
    delivery.each(event, REFUSES, retry=ORDER_EVENTS)
    (letter,) = cloud.sent("LETTERS_QUEUE")
    times = [datetime.fromisoformat(letter[name]) for name in ("first_failed_at", "failed_at")]
    assert times == [ORDERED_AT - timedelta(days=1), ORDERED_AT - timedelta(hours=20)]


class Queue:
    """A queue as Lambda drains it: it receives, and what the answer names is not deleted."""

    def __init__(self) -> None:
        self._sqs = boto3.client("sqs")
        self._url = self._sqs.create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "7200"})["QueueUrl"]
        self._sqs.send_message(QueueUrl=self._url, MessageBody="bad")

    def received(self) -> dict[str, Any] | None:
        found = self._sqs.receive_message(QueueUrl=self._url, MessageSystemAttributeNames=["All"]).get("Messages")
        if not found:
            return None
        (message,) = found
        record = {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
            "eventSourceARN": "arn:aws:sqs:ap-northeast-1:123456789012:orders",
        }
        return {"Records": [record]}


@pytest.fixture
def queue(cloud: Cloud) -> Queue:
    return Queue()


def test_an_order_event_rests_longer_after_each_try(cloud: Cloud, queue: Queue) -> None:
    now = ORDERED_AT
    for full in (30, 60, 120, 240, 480, 960, 1920, 3600, 3600):
        event = queue.received()
        assert event, f"it rested longer than {full} s"
        delivery.each(event, FAILS, retry=ORDER_EVENTS)
        cloud.travel(now + timedelta(seconds=full / 2 - 1))
        assert queue.received() is None
        now += timedelta(seconds=full + 1)
        cloud.travel(now)


def pauses(message: str, retry: Retry) -> list[int]:
    return [
        retry.pause_after(
            Message(id=message, body="", queue="", source="", receipt="", attempts=n, first_received_at=ORDERED_AT)
        )
        for n in range(1, retry.tries)
    ]


def test_a_message_rests_as_long_whenever_it_is_asked() -> None:
    assert pauses("m-1", ORDER_EVENTS) == pauses("m-1", ORDER_EVENTS)


def test_messages_that_failed_together_come_back_apart() -> None:
    assert len({tuple(pauses(f"m-{number}", ORDER_EVENTS)) for number in range(50)}) == 50


def test_an_order_event_is_tried_for_hours_and_due_work_for_seconds() -> None:
    assert 3 * 3600 < sum(pauses("m-1", ORDER_EVENTS)) < 5 * 3600
    assert sum(pauses("m-1", DUE_WORK)) <= 15


def test_a_failure_is_logged_with_the_message_it_is_of(cloud: Cloud, caplog: pytest.LogCaptureFixture) -> None:
    delivery.each(cloud.deliver("bad", "good"), REFUSES, retry=ORDER_EVENTS)
    (line,) = caplog.records
    told = vars(line)
    assert (line.levelname, told["message_id"], told["error"]) == ("WARNING", "message-0", "Invalid")


def test_an_attribute_that_is_bytes_is_left_out_and_spoils_no_batch(cloud: Cloud) -> None:
    event = cloud.deliver("bad", "good")
    event["Records"][0]["messageAttributes"] = {
        "picture": {"binaryValue": "AAE=", "dataType": "Binary"},
        "times_redriven": {"stringValue": "2", "dataType": "Number"},
    }
    assert come_back(delivery.each(event, REFUSES, retry=ORDER_EVENTS)) == []
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert (letter["body"], letter["attributes"]) == ("bad", {"times_redriven": "2"})
