"""The real handlers with the real adapters on moto, at a time that stands still."""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import boto3
import pytest
import time_machine
from moto import mock_aws

from adapters.coupon_pool import DynamoCouponPool
from adapters.ledger import DynamoLedger
from adapters.promotions import DynamoPromotions
from adapters.quota import DynamoQuota
from adapters.wallet import DynamoWallet
from bootstrap import clients
from tests.builders import ORDERED_AT
from tests.fakes.aws import Aws
from tests.fakes.tables import make_ledger_table, make_letters_table, make_table

TABLES = {
    "PROMOTIONS_TABLE": ("Shop", "Item"),
    "QUOTA_TABLE": ("Counted",),
    "CONTROL_TABLE": ("Item",),
    "WALLET_TABLE": ("Member", "Item"),
    "COUPONS_TABLE": ("Item",),
}
QUEUES = (
    "GRANT_POINTS_HIGH_QUEUE",
    "GRANT_POINTS_LOW_QUEUE",
    "RECYCLE_POINTS_QUEUE",
    "GRANT_COUPON_HIGH_QUEUE",
    "GRANT_COUPON_LOW_QUEUE",
    "RECYCLE_COUPON_QUEUE",
    "DISPATCH_QUEUE",
    "TIMERS_QUEUE",
    "COLLECT_QUEUE",
    "MATCH_QUEUE",
    "LETTERS_QUEUE",
)
BUCKETS = ("TASKS_BUCKET", "LETTERS_BUCKET", "IMPORT_BUCKET", "FINDINGS_BUCKET")
SETTINGS = {
    "PROVIDER": "wallet",
    "TIME_ZONE": "Asia/Taipei",
    "DISPATCH_PERIOD_MINUTES": "60",
    "DISPATCH_SPREAD_SECONDS": "60",
    "BUCKET_COUNT": "3",
    "START_HOUR": "0",
    "SHARDS": "4",
    "LEASE_SECONDS": "120",
    "SWEEP_GRACE_MINUTES": "30",
    "SWEEP_LIMIT": "1000",
    "GIVE_UP_HOURS": "72",
    "STOCK_GIVE_UP_DAYS": "14",
    "RETRY_HOURS": "10,22",
    "RECYCLE_TIME": "10:30",
    "IMPORT_SPREAD_SECONDS": "900",
    "PUBLISHED_EVENTS": "RewardBooked,RewardGranted,RewardCancelled,RewardRecycled,RewardShortfall,RewardHeld",
    "STEPS_BY_NAME": '{"Rewards-BookQueue": "book", "Rewards-publish": "publish"}',
    "POWERTOOLS_SERVICE_NAME": "test",
    "POWERTOOLS_METRICS_DISABLED": "true",
}


class Context:
    """What Lambda tells a handler of its invocation."""

    function_name = "step"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:ap-northeast-1:123456789012:function:step"

    def __init__(self, number: int, millis_left: int) -> None:
        self.aws_request_id = f"invocation-{number}"
        self._millis_left = millis_left

    def get_remaining_time_in_millis(self) -> int:
        return self._millis_left


class Cloud:
    """Everything the steps talk to. Time is the test's: `travel` moves it, else it stands still."""

    def __init__(self, clock: time_machine.Traveller) -> None:
        dynamodb = boto3.client("dynamodb")
        self._clock = clock
        self._sqs = boto3.client("sqs")
        self._invocations = 0
        self.quota = DynamoQuota(dynamodb, "QUOTA_TABLE")
        self.ledger = DynamoLedger(dynamodb, "LEDGER_TABLE", self.quota)
        self.promotions = DynamoPromotions(dynamodb, "PROMOTIONS_TABLE")
        self.wallet = DynamoWallet(dynamodb, "WALLET_TABLE")
        self.coupons = DynamoCouponPool(dynamodb, "COUPONS_TABLE")

    def travel(self, to: datetime) -> None:
        self._clock.move_to(to)

    def context(self, millis_left: int = 60_000) -> Context:
        self._invocations += 1
        return Context(self._invocations, millis_left)

    def deliver(self, *bodies: str, attempts: int = 1, queue: str = "LETTERS_QUEUE") -> dict[str, Any]:
        """The event in which SQS brings these bodies, and has brought them so many times."""
        return {
            "Records": [
                {
                    "messageId": f"message-{number}",
                    "receiptHandle": f"receipt-{number}",
                    "body": body,
                    "attributes": {
                        "ApproximateReceiveCount": str(attempts),
                        "ApproximateFirstReceiveTimestamp": str(int(ORDERED_AT.timestamp() * 1000)),
                        "SentTimestamp": str(int(ORDERED_AT.timestamp() * 1000)),
                    },
                    "messageAttributes": {},
                    "eventSource": "aws:sqs",
                    "eventSourceARN": f"arn:aws:sqs:ap-northeast-1:123456789012:{queue}",
                }
                for number, body in enumerate(bodies)
            ]
        }

    def sent(self, queue: str) -> list[Any]:
        """The JSON bodies of what waits in a queue, which holds it no longer."""
        url = self._sqs.get_queue_url(QueueName=queue)["QueueUrl"]
        bodies = []
        while messages := self._sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                bodies.append(json.loads(message["Body"]))
                self._sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return bodies


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    with mock_aws():
        yield from _a_cloud(monkeypatch)


@pytest.fixture
def cloud_of_batches(monkeypatch: pytest.MonkeyPatch, aws: Aws) -> Iterator[Cloud]:
    """The same on MiniStack: moto knows no PartiQL, in which many rows are written together."""
    aws.forget()
    boto3.setup_default_session()
    assert boto3.DEFAULT_SESSION
    aws.answers(boto3.DEFAULT_SESSION)
    yield from _a_cloud(monkeypatch, aws.answers)
    boto3.DEFAULT_SESSION = None


@pytest.fixture(scope="session")
def aws() -> Iterator[Aws]:
    aws = Aws()
    yield aws
    aws.close()


def _a_cloud(
    monkeypatch: pytest.MonkeyPatch, answers: Callable[[boto3.Session], None] = lambda _: None
) -> Iterator[Cloud]:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    with time_machine.travel(ORDERED_AT, tick=False) as clock:
        dynamodb, sqs, s3 = boto3.client("dynamodb"), boto3.client("sqs"), boto3.client("s3")
        make_ledger_table(dynamodb, "LEDGER_TABLE")
        make_letters_table(dynamodb, "LETTERS_TABLE")
        for table, keys in TABLES.items():
            make_table(dynamodb, table, *keys)
        for bucket in BUCKETS:
            s3.create_bucket(
                Bucket=bucket.lower().replace("_", "-"),
                CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"},
            )
            monkeypatch.setenv(bucket, bucket.lower().replace("_", "-"))
        for table in ("LEDGER_TABLE", "LETTERS_TABLE", *TABLES):
            monkeypatch.setenv(table, table)
        for queue in QUEUES:
            monkeypatch.setenv(queue, sqs.create_queue(QueueName=queue)["QueueUrl"])
        bus = boto3.client("events").create_event_bus(Name="rewards-bus")
        monkeypatch.setenv("REWARDS_BUS", bus["EventBusArn"].rsplit("/", 1)[1])
        _forget_clients()
        answers(boto3.Session(botocore_session=clients.session()))
        yield Cloud(clock)
    _forget_clients()


def _forget_clients() -> None:
    """`bootstrap` keeps what it made for the life of a process; each test is one of its own."""
    for name in [name for name in sys.modules if name.startswith("bootstrap.")]:
        for made in vars(sys.modules[name]).values():
            if hasattr(made, "cache_clear"):
                made.cache_clear()
