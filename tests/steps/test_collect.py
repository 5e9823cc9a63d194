"""Collect: the real handler on S3 and SQS."""

import json
from datetime import timedelta
from typing import Any

import boto3
import pytest

from rewards.crm_chunks import CHUNK_ROWS
from rewards.stagger import offset
from steps.collect import handler
from tests.builders import ORDERED_AT
from tests.rewards.crm import a_file, a_row
from tests.steps.conftest import Cloud

BUCKET = "import-bucket"
KEY = "crm/門市 一/2026-11-30/十一月 30 日.csv"
DAILY = {"execute_time": "2026-11-30T22:00:00Z"}


@pytest.fixture
def bucket(cloud: Cloud) -> Any:
    """The bucket that shops put their files into, beside everything else a step talks to."""
    assert cloud
    return boto3.client("s3")


def put(bucket: Any, content: bytes, key: str = KEY) -> None:
    bucket.put_object(Bucket=BUCKET, Key=key, Body=content)


def keys(bucket: Any) -> list[str]:
    return [item["Key"] for item in bucket.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


def read(bucket: Any, key: str) -> Any:
    return json.loads(bucket.get_object(Bucket=BUCKET, Key=key)["Body"].read())


def collect(cloud: Cloud, *, millis_left: int = 60_000) -> list[dict[str, Any]]:
    """Work the queue until it is empty; the batches that came of it."""
    while collections := cloud.sent("COLLECT_QUEUE"):
        for collection in collections:
            answer = handler(cloud.deliver(json.dumps(collection)), cloud.context(millis_left))
            assert answer == {"batchItemFailures": []}
    return cloud.sent("MATCH_QUEUE")


def test_each_day_every_shop_is_looked_through_at_its_own_second(cloud: Cloud, bucket: Any) -> None:
    put(bucket, a_file(a_row()))
    put(bucket, a_file(a_row()), "crm/2/2026-11-30/a.csv")
    handler(DAILY, cloud.context())
    for shop in sorted(["門市 一", "2"], key=lambda shop: offset(shop, 900)):
        cloud.travel(ORDERED_AT + timedelta(seconds=offset(shop, 900) - 1))
        assert cloud.sent("COLLECT_QUEUE") == []
        cloud.travel(ORDERED_AT + timedelta(seconds=offset(shop, 900)))
        assert cloud.sent("COLLECT_QUEUE") == [{"shop": shop, "v": 1}]


def test_a_file_becomes_batches_and_a_summary_beside_it(cloud: Cloud, bucket: Any) -> None:
    put(bucket, a_file(a_row("TG茶"), a_row("TG2", quantity="2²"), "", a_row("TG3")))
    assert handler({"shop": "門市 一"}, cloud.context()) == [KEY]
    (batch,) = collect(cloud)
    assert (batch["shop_id"], batch["file"]) == ("門市 一", KEY)
    assert [order["order_group"] for order in batch["orders"]] == ["TG茶", "TG3"]
    summary = read(bucket, f"{KEY}.summary.json")
    etag = bucket.head_object(Bucket=BUCKET, Key=KEY)["ETag"].strip('"')
    rejects = f"crm/門市 一/2026-11-30/rejects/十一月 30 日.csv/{etag}/"
    counts = {"read": 4, "accepted": 2, "skipped": 1, "rejected": 1}
    assert summary == {"file": KEY, "etag": etag, "rejects": rejects} | counts
    assert read(bucket, f"{rejects}000000003.jsonl") == {
        "file": KEY,
        "line": 3,
        "column": "quantity",
        "value": "2²",
        "reason": "'2²' is not a whole number",
    }


def test_a_file_that_is_done_with_is_not_read_again_and_a_corrected_one_is(cloud: Cloud, bucket: Any) -> None:
    put(bucket, a_file(a_row()))
    handler({"shop": "門市 一"}, cloud.context())
    collect(cloud)
    assert handler({"shop": "門市 一"}, cloud.context()) == []
    put(bucket, a_file(a_row(), a_row("TG2")))
    assert handler({"shop": "門市 一"}, cloud.context()) == [KEY]
    assert len(collect(cloud)[0]["orders"]) == 2
    assert len(keys(bucket)) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp950"])
def test_without_time_the_rest_is_sent_on_from_a_byte_and_nothing_is_lost_or_doubled(
    cloud: Cloud, bucket: Any, encoding: str
) -> None:
    rows = [a_row(f"訂單{number}") for number in range(CHUNK_ROWS * 2 + 10)]
    put(bucket, a_file(*rows).decode().encode(encoding))
    handler({"shop": "門市 一"}, cloud.context())
    batches = collect(cloud, millis_left=1)
    orders = [order["order_group"] for batch in batches for order in batch["orders"]]
    assert sorted(orders) == sorted(f"訂單{number}" for number in range(CHUNK_ROWS * 2 + 10))
    assert read(bucket, f"{KEY}.summary.json")["accepted"] == len(rows)


def test_a_file_that_is_no_text_is_refused_in_its_summary(cloud: Cloud, bucket: Any) -> None:
    put(bucket, b"\xff\xfe")
    handler({"shop": "門市 一"}, cloud.context())
    assert collect(cloud) == []
    assert read(bucket, f"{KEY}.summary.json")["refused"] == "is neither UTF-8 nor cp950"


def test_a_poison_message_is_parked_and_the_rest_of_its_batch_is_done(cloud: Cloud, bucket: Any) -> None:
    put(bucket, a_file(a_row()))
    assert handler(cloud.deliver("no json", '{"shop": "門市 一"}'), cloud.context()) == {"batchItemFailures": []}
    assert len(collect(cloud)) == 1
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert letter["kind"] == "invalid"


def test_a_repeated_message_sends_the_same_and_says_the_same(cloud: Cloud, bucket: Any) -> None:
    put(bucket, a_file(a_row(), "ragged"))
    handler({"shop": "門市 一"}, cloud.context())
    (message,) = cloud.sent("COLLECT_QUEUE")
    found = []
    for _ in range(2):
        handler(cloud.deliver(json.dumps(message)), cloud.context())
        found.append((cloud.sent("MATCH_QUEUE"), keys(bucket), read(bucket, f"{KEY}.summary.json")))
    assert found[0] == found[1]
