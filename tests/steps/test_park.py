"""Park: the real handler on SQS, S3 and DynamoDB."""

import json
from typing import Any

import boto3
import msgspec
import pytest

from rewards.errors import Invalid
from rewards.letters import Letter, parked
from rewards.messages import Message
from steps.park import handler
from tests.builders import ORDERED_AT
from tests.steps.conftest import Cloud

PAID = json.dumps({"detail-type": "PaymentCompleted", "detail": {"shop_id": "1", "order_group": "TG1"}})
UNKNOWN = json.dumps({"detail-type": "OrderArchived", "detail": {"shop_id": "1", "order_group": "TG2"}})


def from_a_step() -> str:
    message = Message(
        id="m-1",
        body=PAID,
        queue="arn:aws:sqs:ap-northeast-1:123456789012:BookQueue",
        source="arn:aws:sqs:ap-northeast-1:123456789012:BookQueue",
        receipt="r-1",
        attempts=1,
        first_received_at=ORDERED_AT,
    )
    letter = parked(message, "invalid", Invalid("order", "is missing"), step="book", now=ORDERED_AT)
    return msgspec.json.encode(letter).decode()


def kept() -> list[dict[str, Any]]:
    """The thin items, by the order they are named in."""
    items = boto3.client("dynamodb").scan(TableName="LETTERS_TABLE")["Items"]
    plain = [{name: next(iter(value.values())) for name, value in item.items()} for item in items]
    return sorted(plain, key=lambda item: item["Letter"])


def test_every_kind_of_dead_letter_is_kept(cloud: Cloud) -> None:
    answer = handler(cloud.deliver(from_a_step(), PAID, UNKNOWN), cloud.context())
    assert answer == {"batchItemFailures": []}
    assert [(item["Letter"].split("#")[1], item["Kind"], item.get("Error")) for item in kept()] == [
        ("m-1", "invalid", "Invalid: order: is missing"),
        ("message-1", "crashed", None),
        ("message-2", "invalid", kept()[2]["Error"]),
    ]
    for item in kept():
        body = boto3.client("s3").get_object(Bucket="letters-bucket", Key=item["Key"])["Body"].read()
        assert msgspec.json.decode(body, type=Letter).body in (PAID, UNKNOWN)


def test_the_same_batch_again_changes_nothing(cloud: Cloud) -> None:
    for _ in range(2):
        handler(cloud.deliver(from_a_step(), PAID, UNKNOWN), cloud.context())
    assert len(kept()) == 3


def test_what_cannot_be_kept_comes_back_and_the_others_are_kept(cloud: Cloud) -> None:
    from_tomorrow = json.dumps({"type": "Letter", "v": 2})
    answer = handler(cloud.deliver(PAID, from_tomorrow, UNKNOWN, attempts=1_000), cloud.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-1"}]}
    assert len(kept()) == 2


def test_without_its_table_everything_comes_back(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LETTERS_TABLE", "gone")
    answer = handler(cloud.deliver(PAID, UNKNOWN), cloud.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}, {"itemIdentifier": "message-1"}]}
