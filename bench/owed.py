"""Rewards that are owed on the embedded cloud, as the messages that a worker of `grant_points` is handed."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import boto3
import msgspec

from adapters.items import reward_item, reward_of
from bootstrap.clients import session
from ops.embedded import cloud
from rewards.reward import Reward
from rewards.status import Status
from rewards.tasks import Task
from tests.builders import a_reward
from tests.fakes.tables import make_ledger_table, make_table

MESSAGE, BATCH = 25, 10
"""Rewards to a message, and messages to an invocation: as the dispatcher packs them and the event source hands them."""

LEASE_SECONDS, VISIBILITY_SECONDS = 2, 4
"""So short that what a killed worker held is soon looked at again."""

TABLES = {
    "LEDGER_TABLE": None,
    "QUOTA_TABLE": ("Counted",),
    "WALLET_TABLE": ("Member", "Item"),
    "CONTROL_TABLE": ("Item",),
}
SETTINGS = {
    "PROVIDER": "wallet",
    "TIME_ZONE": "Asia/Taipei",
    "DISPATCH_PERIOD_MINUTES": "60",
    "BUCKET_COUNT": "3",
    "START_HOUR": "0",
    "SHARDS": "16",
    "LEASE_SECONDS": str(LEASE_SECONDS),
    "GIVE_UP_HOURS": "72",
    "STOCK_GIVE_UP_DAYS": "14",
    "RETRY_HOURS": "10,22",
    "RECYCLE_TIME": "10:30",
    "TASKS_BUCKET": "none",
    "POWERTOOLS_SERVICE_NAME": "grant_points",
}


@contextmanager
def a_cloud() -> Iterator[None]:
    """An embedded cloud, and an environment in which the handler finds it."""
    with tempfile.TemporaryDirectory() as folder:
        running = cloud.start(Path(folder), "bench")
        try:
            _find(running.endpoint)
            yield
        finally:
            cloud.stop(Path(folder), running)


def _find(endpoint: str) -> None:
    credentials = {"AWS_ACCESS_KEY_ID": cloud.CREDENTIALS, "AWS_SECRET_ACCESS_KEY": cloud.CREDENTIALS}
    where = {"AWS_ENDPOINT_URL": endpoint, "AWS_DEFAULT_REGION": cloud.REGION}
    os.environ.update({**SETTINGS, **credentials, **where, **{table: table for table in TABLES}})
    sqs = boto3.Session().client("sqs")
    for queue in ("GRANT_POINTS_LOW_QUEUE", "RECYCLE_POINTS_QUEUE", "RECYCLE_COUPON_QUEUE", "LETTERS_QUEUE"):
        os.environ[queue] = sqs.create_queue(QueueName=queue)["QueueUrl"]


def make_tables() -> None:
    client = boto3.Session().client("dynamodb")
    for table in client.list_tables()["TableNames"]:
        client.delete_table(TableName=table)
    for table, keys in TABLES.items():
        if keys:
            make_table(client, table, *keys)
        else:
            make_ledger_table(client, table)


def owe(rewards: int) -> list[Reward]:
    """Rewards of 50 points, each of an order and a member of its own, that are due."""
    rows = [
        a_reward(
            order_group=f"TG261103A{number:07}",
            member_id=f"10{number:08}",
            booking_time=datetime(2020, 11, 9, tzinfo=UTC),
        )
        for number in range(rewards)
    ]
    client = boto3.Session().client("dynamodb")
    for start in range(0, rewards, 25):
        puts: Any = [{"PutRequest": {"Item": reward_item(row)}} for row in rows[start : start + 25]]
        client.batch_write_item(RequestItems={"LEDGER_TABLE": puts})
    return rows


def messages_of(rows: list[Reward]) -> Iterator[str]:
    """As the dispatcher packs them."""
    for start in range(0, len(rows), MESSAGE):
        keys = tuple(row.due.sort for row in rows[start : start + MESSAGE] if row.due)
        yield msgspec.json.encode(Task(keys)).decode()


def an_event(bodies: list[str], messages: list[Any] | None = None) -> dict[str, Any]:
    told = messages or [
        {
            "MessageId": str(uuid4()),
            "ReceiptHandle": "receipt",
            "Attributes": {"ApproximateReceiveCount": "1", "ApproximateFirstReceiveTimestamp": "1764000000000"},
        }
        for _ in bodies
    ]
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": body,
                "attributes": message["Attributes"],
                "messageAttributes": {},
                "eventSourceARN": "arn:aws:sqs:ap-northeast-1:000000000000:grant",
            }
            for body, message in zip(bodies, told, strict=True)
        ]
    }


def a_context() -> Any:
    return SimpleNamespace(
        function_name="grant_points",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:ap-northeast-1:000000000000:function:grant_points",
        aws_request_id=str(uuid4()),
        get_remaining_time_in_millis=lambda: 60_000,
    )


def counted_calls() -> list[str]:
    """The calls that the handler makes from now on."""
    calls: list[str] = []

    def called(**told: Any) -> None:
        calls.append(told["event_name"])

    session().register("before-send", called)
    return calls


def granted() -> set[Any]:
    rows = [reward_of(item) for item in scan("LEDGER_TABLE")]
    return {row.id for row in rows if row.status is Status.REWARD and row.lock is None and row.due is None}


def scan(table: str) -> list[Any]:
    pages = boto3.Session().client("dynamodb").get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return [item for page in pages for item in page["Items"]]
