"""How much processor time a reward takes here, from the paid order until the points are in the wallet.

The real handlers run in this process and ask the
embedded cloud, which runs in another: only what the handlers do is counted, their calls of AWS included. Each member
has one reward, and messages come in tens, as under load.
"""

import io
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import time_machine

from adapters.control import DynamoControl
from adapters.promotions import DynamoPromotions
from bench.table import progress
from ops.embedded import cloud
from tests.builders import ORDERED_AT, a_promotion
from tests.faults.resources import ARN, DRAINED_BY, bucket_name, make_resources
from tests.steps.conftest import BUCKETS, SETTINGS, TABLES, Context
from tests.steps.due import LEAVES_AT, RUN
from tests.steps.orders import an_event

REWARDS = 2_000
BATCH = 10
ALL_SHARDS = 1
"""One shard, so that a dispatcher has as many rows as it would have with all of them and sixteen times the rewards."""

Records = list[dict[str, Any]]


class Cpu(NamedTuple):
    """Seconds of a reward, by what was done."""

    book: float
    dispatch: float
    grant: float

    @property
    def releasing(self) -> float:
        return self.dispatch + self.grant

    @property
    def all(self) -> float:
        return self.book + self.releasing


def cpu_seconds(rewards: int = REWARDS) -> Cpu:
    progress(f"Ours: {rewards:,} rewards booked, dispatched and granted")
    with a_cloud(), time_machine.travel(ORDERED_AT, tick=False) as clock:
        stack = Stack(boto3.Session())
        booked = stack.seconds("book", (_records(*_paid(first, rewards)) for first in range(0, rewards, BATCH)))
        clock.move_to(LEAVES_AT)
        stack.handler("plan")(RUN, stack.context())
        dispatched = stack.seconds("dispatch", stack.received("DISPATCH_QUEUE"))
        granted = stack.seconds("grant_points", stack.received("GRANT_POINTS_LOW_QUEUE"))
        stack.check(rewards)
    return Cpu(booked / rewards, dispatched / rewards, granted / rewards)


class Stack:
    """The handlers, and what they find in AWS."""

    def __init__(self, session: boto3.Session) -> None:
        make_resources(session)
        self._sqs, self._dynamodb = session.client("sqs"), session.client("dynamodb")
        self._numbers = count()
        for queue in DRAINED_BY:
            os.environ[queue] = self._address(queue)
        DynamoControl(self._dynamodb, "CONTROL_TABLE").move_cursor("reward", ORDERED_AT)
        DynamoPromotions(self._dynamodb, "PROMOTIONS_TABLE").put(a_promotion())

    def handler(self, step: str) -> Callable[..., Any]:
        handler: Callable[..., Any] = import_module(f"steps.{step}").handler
        return handler

    def context(self) -> Context:
        return Context(next(self._numbers), millis_left=600_000)

    def seconds(self, step: str, batches: Iterator[Records]) -> float:
        """Processor time of this step for all the batches; making and receiving them is not counted."""
        handler, total = self.handler(step), 0.0
        for records in batches:
            with redirect_stdout(io.StringIO()):  # where the metrics go
                began = time.process_time()
                answer = handler({"Records": records}, self.context())
                total += time.process_time() - began
            assert answer == {"batchItemFailures": []}, answer  # noqa: S101
        return total

    def received(self, queue: str) -> Iterator[Records]:
        while messages := self._received(queue):
            yield _records(*(message["Body"] for message in messages))
            entries = [{"Id": each["MessageId"], "ReceiptHandle": each["ReceiptHandle"]} for each in messages]
            self._sqs.delete_message_batch(QueueUrl=self._address(queue), Entries=entries)  # type: ignore[arg-type]

    def check(self, rewards: int) -> None:
        pages = self._dynamodb.get_paginator("scan").paginate(TableName="LEDGER_TABLE")
        granted = sum(item.get("Status") == {"S": "Reward"} for page in pages for item in page["Items"])
        assert granted == rewards, f"{granted} of {rewards} were granted"  # noqa: S101

    def _received(self, queue: str) -> Any:
        return self._sqs.receive_message(QueueUrl=self._address(queue), MaxNumberOfMessages=BATCH).get("Messages")

    def _address(self, queue: str) -> str:
        return self._sqs.get_queue_url(QueueName=queue)["QueueUrl"]


@contextmanager
def a_cloud() -> Iterator[None]:
    """The embedded cloud in a process of its own, and an environment in which the steps find it."""
    os.environ |= SETTINGS | {name: name for name in ("LEDGER_TABLE", "LETTERS_TABLE", *TABLES)}
    os.environ |= {bucket: bucket_name(bucket) for bucket in BUCKETS}
    os.environ |= {"AWS_ACCESS_KEY_ID": cloud.CREDENTIALS, "AWS_SECRET_ACCESS_KEY": cloud.CREDENTIALS}
    os.environ |= {"AWS_DEFAULT_REGION": cloud.REGION, "REWARDS_BUS": "rewards"}
    os.environ |= {"SHARDS": str(ALL_SHARDS), "DISPATCH_SPREAD_SECONDS": "0"}
    with tempfile.TemporaryDirectory() as folder:
        running = cloud.start(Path(folder), "bench")
        os.environ["AWS_ENDPOINT_URL"] = os.environ["AWS_ENDPOINT_URL_S3"] = running.endpoint
        try:
            yield
        finally:
            cloud.stop(Path(folder), running)


def _paid(first: int, rewards: int) -> Iterator[str]:
    """Orders that are paid, each by a member of its own."""
    golden = json.loads(an_event("PaymentCompleted"))["detail"]["order"]
    for number in range(first, min(first + BATCH, rewards)):
        order = golden | {"member_id": f"M{number}"}
        yield an_event("PaymentCompleted", event_id=f"E{number}", order_group=f"TG{number}", order=order)


def _records(*bodies: str) -> Records:
    received = str(int(time.time() * 1000))
    attributes = {"ApproximateReceiveCount": "1", "ApproximateFirstReceiveTimestamp": received}
    return [
        {
            "messageId": f"message-{number}",
            "receiptHandle": f"receipt-{number}",
            "body": body,
            "attributes": attributes,
            "messageAttributes": {},
            "eventSourceARN": ARN + "queue",
        }
        for number, body in enumerate(bodies)
    ]
