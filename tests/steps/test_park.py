"""Park: the real handler on SQS, S3 and DynamoDB."""

import json
from typing import Any

import boto3
import msgspec
import pytest

from bootstrap.parking import kept_letters
from rewards.errors import Invalid
from rewards.given_up import parked
from rewards.letters import Letter
from rewards.messages import Message
from steps.park import handler
from tests.adapters.test_set_aside import KEY, a_record, an_invocation, told
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


def test_what_a_stream_could_not_deliver_is_kept_record_by_record(cloud: Cloud) -> None:
    body = an_invocation(a_record(1), a_record(2))
    boto3.client("s3").put_object(Bucket="letters-bucket", Key=KEY, Body=body.encode())
    for _ in range(2):
        assert handler(cloud.deliver(told(KEY)), cloud.context()) == {"batchItemFailures": []}
    assert [(item["Kind"], item["Step"], item["Order"]) for item in kept()] == [
        ("exhausted", "publish", "TG1"),
        ("exhausted", "publish", "TG2"),
    ]


def test_where_s3_only_tries_out_whether_it_may_tell_there_is_nothing_to_keep(cloud: Cloud) -> None:
    assert handler(cloud.deliver('{"Event": "s3:TestEvent"}'), cloud.context()) == {"batchItemFailures": []}
    assert kept() == []


def test_records_that_cannot_be_read_come_back(cloud: Cloud) -> None:
    assert handler(cloud.deliver(told("aws/lambda/gone"), PAID), cloud.context()) == {
        "batchItemFailures": [{"itemIdentifier": "message-0"}]
    }
    assert len(kept()) == 1


def test_whatever_aws_gave_up_is_filed_under_its_step(cloud: Cloud) -> None:
    event = cloud.deliver(PAID, queue="Rewards-BookQueue")
    handler(event, cloud.context())
    assert [item["Step"] for item in kept()] == ["book"]


def test_a_letter_that_was_redriven_stays_so_when_its_message_comes_again(cloud: Cloud) -> None:
    handler(cloud.deliver(PAID), cloud.context())
    (item,) = kept()
    letter = kept_letters().whole(f"{item['Day']}/message-0")
    kept_letters().close(letter, by="alice", at=ORDERED_AT)
    handler(cloud.deliver(PAID), cloud.context())
    assert kept()[0]["RedrivenBy"] == "alice"


def test_without_its_table_everything_comes_back(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LETTERS_TABLE", "gone")
    answer = handler(cloud.deliver(PAID, UNKNOWN), cloud.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}, {"itemIdentifier": "message-1"}]}
