"""The whole stack in this process: real handlers, real adapters, MiniStack's tables, queues and buckets.

Queues deliver, the stream is read and schedules run as they do in AWS, but on the clock of the test.
"""

import json
import os
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any, NamedTuple

import boto3
import time_machine

from adapters.control import DynamoControl
from adapters.coupon_pool import DynamoCouponPool
from adapters.promotions import DynamoPromotions
from adapters.wallet import DynamoWallet
from bootstrap.coupons import coupons
from bootstrap.http_provider import http_provider
from bootstrap.points import points
from rewards.promotion import Promotion
from rewards.tasks import KINDS
from rewards.windows import floor
from telemetry import metrics
from tests.builders import ORDERED_AT
from tests.fakes.aws import Aws
from tests.fakes.provider_server import ProviderServer
from tests.faults.crash_points import Died
from tests.faults.providers import Accounts, Coupons, Provider, ServiceAccounts
from tests.faults.resources import ARN, DRAINED_BY, ORDER_QUEUES, QUEUE, SECRET, make_resources
from tests.faults.stream import Stream
from tests.steps.conftest import Context

VISIBILITY = 360
MINUTE, TEN_MINUTES, HOUR, DAY = timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(days=1)
TRIES_OF_A_SCHEDULE = 3
READERS = ("publish", "audit")
ROUNDS = 30
"""So many times ten minutes are enough for all to come to rest: dead messages return, and the sweep comes by."""

Answer = dict[str, list[dict[str, str]]]


class Schedule(NamedTuple):
    """A step is called with `event` in every `period`, so long after its beginning in UTC."""

    step: str
    event: dict[str, str]
    period: timedelta
    after: timedelta

    def last_run(self, now: datetime) -> datetime:
        return floor(now - self.after, self.period) + self.after


SCHEDULES = (
    Schedule("collect", {}, DAY, after=22 * HOUR),  # six in the morning in Taipei
    Schedule("plan", {"kind": "recycle"}, DAY, after=2 * HOUR + 30 * MINUTE),  # half past ten
    Schedule("plan", {"kind": "reward"}, HOUR, after=MINUTE),
)


class Stack:
    """It stands at noon of the ordinary order's day, and all schedules have run until then."""

    def __init__(
        self,
        aws: Aws,
        session: boto3.Session,
        system: boto3.Session,
        service: ProviderServer,
        clock: time_machine.Traveller,
    ) -> None:
        self._busy: set[str] = set()
        self._awake: set[str] = set()
        for each in (session, system):
            each.events.register("provide-client-params.sqs", self._sent_to)
        self.now = ORDERED_AT
        self.dynamodb = session.client("dynamodb")
        self.sqs = session.client("sqs")
        self.s3 = session.client("s3")
        self.points: Accounts
        self.coupons: Coupons
        self.stream = Stream(session)
        self._aws, self._session, self._service, self._clock = aws, session, service, clock
        self._invocations = 0

    def begin(self, *promotions: Promotion, provider: Provider = "wallet") -> None:
        """A new stack, which knows these promotions; points and coupons are with this provider."""
        self._aws.forget()
        metrics.provider.clear_metrics()
        self._clock.move_to(ORDERED_AT)
        self.now = ORDERED_AT
        self._busy.clear()
        self._awake.clear()
        make_resources(self._session)
        self._ask(provider)
        self.stream.begin(self.dynamodb)
        control = DynamoControl(self.dynamodb, "CONTROL_TABLE")
        for kind in KINDS:
            control.move_cursor(kind, ORDERED_AT)
        for kind in (*KINDS, "expire"):
            control.move_oldest(kind, ORDERED_AT.date())
        for promotion in promotions:
            DynamoPromotions(self.dynamodb, "PROMOTIONS_TABLE").put(promotion)

    def _ask(self, provider: Provider) -> None:
        """The steps ask this provider from now on, and none of them has read the service's secret yet."""
        os.environ["PROVIDER"], os.environ["PROVIDER_URL"] = provider, self._service.url
        for made in (points, coupons, http_provider):
            made.cache_clear()
        self._service.begin()
        secrets = self._session.client("secretsmanager")
        secrets.create_secret(Name=SECRET, SecretString=self._service.token)
        if provider == "http":
            self.points, self.coupons = ServiceAccounts(self._service), self._service.coupons
        else:
            self.points = DynamoWallet(self.dynamodb, "WALLET_TABLE")
            self.coupons = DynamoCouponPool(self.dynamodb, "COUPONS_TABLE")

    def travel(self, to: datetime) -> None:
        """The clock moves, and the schedules that fell due meanwhile run once."""
        self.stream.read()
        before, self.now = self.now, to
        self._clock.move_to(to)
        self.stream.go_on("LATEST")
        self._awake |= self._busy
        for schedule in SCHEDULES:
            if (run := schedule.last_run(to)) > before:
                event = {**schedule.event, "execute_time": run.isoformat()}
                self._call(schedule.step, event, tries=TRIES_OF_A_SCHEDULE)
        self._call("sweep", {}, tries=TRIES_OF_A_SCHEDULE)

    def tell(self, *events: str) -> None:
        """The bus puts each event into its queue."""
        for event in events:
            queue = QUEUE + ORDER_QUEUES[json.loads(event)["detail-type"]]
            self.sqs.send_message(QueueUrl=queue, MessageBody=event)

    def work(self) -> None:
        """Whoever has something to do does it, until nobody sees anything more to do for now."""
        while self._awake or any(list(map(self._read_on, READERS))):
            for queue in DRAINED_BY:
                if queue in self._awake and not self._drain(queue):
                    self._awake.discard(queue)

    def rest(self) -> None:
        """Work, and let time pass, until nothing is under way any more."""
        for _ in range(ROUNDS):
            self.work()
            if not self._is_anything_under_way():
                return
            self.travel(self.now + TEN_MINUTES)
        raise AssertionError(f"not still after {ROUNDS} rounds: {self._is_anything_under_way()}")

    def _sent_to(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        """A queue that was sent to is awake until nothing is seen in it, and busy until nothing is hidden in it."""
        if model.name.startswith("SendMessage"):
            queue = params["QueueUrl"].removeprefix(QUEUE)
            self._busy.add(queue)
            self._awake.add(queue)

    def _drain(self, queue: str) -> bool:
        """Deliver a batch. What the step does not want back is gone; what died with it comes back in time."""
        received = self.sqs.receive_message(
            QueueUrl=QUEUE + queue,
            MaxNumberOfMessages=10,
            VisibilityTimeout=VISIBILITY,
            MessageSystemAttributeNames=["All"],
        )
        messages = received.get("Messages", [])
        answer = messages and self._call(DRAINED_BY[queue], {"Records": [_record(each, queue) for each in messages]})
        if answer:
            back = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
            done = [
                {"Id": message["MessageId"], "ReceiptHandle": message["ReceiptHandle"]}
                for message in messages
                if message["MessageId"] not in back
            ]
            if done:
                self.sqs.delete_message_batch(QueueUrl=QUEUE + queue, Entries=done)
        return bool(messages)

    def _read_on(self, reader: str) -> bool:
        """Hand the next records of the ledger's stream over; those that are not taken are handed over again."""
        records = self.stream.next(reader)
        answer = records and self._call(reader, {"Records": records})
        if answer:
            failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
            names = [record["dynamodb"]["SequenceNumber"] for record in records]
            taken = next((place for place, name in enumerate(names) if name in failed), len(names))
            self.stream.taken(reader, taken)
        return bool(records)

    def _call(self, step: str, event: dict[str, Any], *, tries: int = 1) -> Answer | None:
        """Invoke a step; None if it died every time."""
        for _ in range(tries):
            self._invocations += 1
            try:
                return import_module(f"steps.{step}").handler(event, Context(self._invocations, millis_left=60_000))
            except Died:
                continue
            except Exception:
                if tries == 1:
                    raise
        return None

    def _is_anything_under_way(self) -> str | None:
        for queue in sorted(self._busy):
            told = self.sqs.get_queue_attributes(QueueUrl=QUEUE + queue, AttributeNames=["All"])["Attributes"]
            if queue == "TIMERS_QUEUE":
                told["ApproximateNumberOfMessagesDelayed"] = 0  # a timer that runs is no work yet
            if any(int(told[f"ApproximateNumberOfMessages{how}"]) for how in ("", "NotVisible", "Delayed")):
                return f"messages in {queue}"
            if queue != "TIMERS_QUEUE":
                self._busy.discard(queue)
        overdue = [row.id for row in self.stream.rows().values() if row.due and _slot(row.due.sort) <= self.now]
        return f"overdue: {overdue}" if overdue else None


def _record(message: Any, queue: str) -> dict[str, Any]:
    """The message as Lambda hands it to a step."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {},
        "eventSourceARN": ARN + queue,
    }


def _slot(sort: str) -> datetime:
    return datetime.fromisoformat(sort.split("#", 1)[0])
