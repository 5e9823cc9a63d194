"""The composition root: the only reader of the environment, the only maker of clients, and of `now`.

A port is one small function, made once in a process and on its first use: a step reads just the settings it needs,
and KeyError names the one that is missing.
"""

import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import boto3
from botocore.config import Config

from adapters.bodies import quick_batches, quick_items
from adapters.breakers import DynamoBreakers
from adapters.bus import EventBridgeBus
from adapters.control import DynamoControl
from adapters.coupon_pool import DynamoCouponPool
from adapters.crm_files import S3CrmFiles
from adapters.due_index import DynamoDueIndex
from adapters.findings import S3Findings
from adapters.history import DynamoHistory
from adapters.http_operations import HttpOperations
from adapters.http_provider import HttpProvider
from adapters.ledger import DynamoLedger
from adapters.letters import KeptLetters, SqsLetters
from adapters.lists import S3TaskLists
from adapters.outlets import SqsOutlet
from adapters.promotions import DynamoPromotions
from adapters.queues import SqsBatchQueue, SqsCollectQueue, SqsTaskQueue, SqsTimerQueue, SqsWindowQueue
from adapters.quota import DynamoQuota
from adapters.secret import Secret
from adapters.set_aside import SetAside
from adapters.stream import change_in as change_in  # for the steps, which know no adapters
from adapters.stream import write_in as write_in
from adapters.visibility import SqsVisibility
from adapters.wallet import DynamoWallet
from rewards.booking_time import Buckets
from rewards.breaker import Provider
from rewards.claiming import Worker
from rewards.guard import Guard
from rewards.provider import CouponProvider, PointsProvider
from rewards.routing import AT_ONCE, RECYCLES, RewardQueue
from rewards.tasks import Queue
from rewards.timetable import Timetable
from rewards.windows import check_period

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

SENDERS = 4
"""Threads in which many messages are sent: a call of a queue is some milliseconds of waiting."""

# boto3 would wait a minute for a reply and ask five times, which outlives most functions.
_CLIENT = Config(connect_timeout=2, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 3})


def now() -> datetime:
    """The time in UTC. The embedded cloud's clock runs ahead by what its control item says at this moment."""
    ahead = control().clock_offset() if os.environ.get("EMBEDDED_CLOCK") == "true" else timedelta()
    return datetime.now(UTC) + ahead


@cache
def timetable() -> Timetable:
    return Timetable(
        zone=ZoneInfo(os.environ["TIME_ZONE"]),
        buckets=Buckets(count=_number("BUCKET_COUNT"), start_hour=_number("START_HOUR")),
        period=period(),
        shards=shards(),
        retry_hours=tuple(int(hour) for hour in os.environ["RETRY_HOURS"].split(",")),
        recycles_at=time.fromisoformat(os.environ["RECYCLE_TIME"]),
    )


@cache
def period() -> timedelta:
    """How often rewards are dispatched. Raises ValueError for a period that no day can be cut into."""
    period = timedelta(minutes=_number("DISPATCH_PERIOD_MINUTES"))
    check_period(period)
    return period


def shards() -> int:
    return _number("SHARDS")


def dispatch_spread() -> timedelta:
    return timedelta(seconds=_number("DISPATCH_SPREAD_SECONDS"))


def import_spread() -> timedelta:
    return timedelta(seconds=_number("IMPORT_SPREAD_SECONDS"))


def sweep_grace() -> timedelta:
    return timedelta(minutes=_number("SWEEP_GRACE_MINUTES"))


def sweep_limit() -> int:
    return _number("SWEEP_LIMIT")


def worker(step: str, token: str) -> Worker:
    """Who claims: `token` is this invocation's alone. The lease outlives it, and ends before its messages return."""
    return Worker(
        step,
        token,
        now(),
        lease=timedelta(seconds=_number("LEASE_SECONDS")),
        patience=timedelta(hours=_number("GIVE_UP_HOURS")),
        stock_patience=timedelta(days=_number("STOCK_GIVE_UP_DAYS")),
    )


@cache
def ledger() -> DynamoLedger:
    quota = DynamoQuota(_dynamodb(), os.environ["QUOTA_TABLE"])
    return DynamoLedger(_dynamodb(), os.environ["LEDGER_TABLE"], quota)


@cache
def due_index() -> DynamoDueIndex:
    return DynamoDueIndex(boto3.client("dynamodb", config=_CLIENT), os.environ["LEDGER_TABLE"])


@cache
def promotions() -> DynamoPromotions:
    return DynamoPromotions(_dynamodb(), os.environ["PROMOTIONS_TABLE"])


@cache
def points() -> PointsProvider:
    return _service() if _is_service() else DynamoWallet(_dynamodb(), os.environ["WALLET_TABLE"])


@cache
def coupons() -> CouponProvider:
    return _service() if _is_service() else DynamoCouponPool(_dynamodb(), os.environ["COUPONS_TABLE"])


@cache
def control() -> DynamoControl:
    return DynamoControl(_dynamodb(), os.environ["CONTROL_TABLE"])


@cache
def breakers() -> DynamoBreakers:
    return DynamoBreakers(_dynamodb(), os.environ["CONTROL_TABLE"])


def guard(provider: Provider) -> Guard:
    """Of this invocation: the next one looks at the breaker anew."""
    return Guard(provider, breakers(), now)


@cache
def windows() -> SqsWindowQueue:
    return SqsWindowQueue(_sqs(), os.environ["DISPATCH_QUEUE"])


@cache
def collections() -> SqsCollectQueue:
    return SqsCollectQueue(_sqs(), os.environ["COLLECT_QUEUE"])


@cache
def batches() -> SqsBatchQueue:
    return SqsBatchQueue(_sqs(), os.environ["MATCH_QUEUE"])


@cache
def crm_files() -> S3CrmFiles:
    return S3CrmFiles(_s3(), os.environ["IMPORT_BUCKET"])


@cache
def timers() -> SqsTimerQueue:
    return SqsTimerQueue(_sqs(), os.environ["TIMERS_QUEUE"])


@cache
def tasks(queue: Queue) -> SqsTaskQueue:
    """The queue of that name; `grant_points_low` has its address in GRANT_POINTS_LOW_QUEUE."""
    return SqsTaskQueue(_sqs(), os.environ[f"{queue.upper()}_QUEUE"])


def outlet(queue: Queue) -> SqsOutlet:
    """The same queue for a whole stream of tasks, of this invocation alone."""
    return SqsOutlet(_sqs(), os.environ[f"{queue.upper()}_QUEUE"], _senders())


def at_once() -> RewardQueue:
    """Where rewards go that are due when they are booked."""
    return RewardQueue(AT_ONCE, tasks)


def recycles() -> RewardQueue:
    """Where granted rewards go that the order no longer earns."""
    return RewardQueue(RECYCLES, tasks)


@cache
def task_lists() -> S3TaskLists:
    return S3TaskLists(_s3(), os.environ["TASKS_BUCKET"])


@cache
def history() -> DynamoHistory:
    return DynamoHistory(_dynamodb(), os.environ["LEDGER_TABLE"])


@cache
def rewards_bus() -> EventBridgeBus:
    return EventBridgeBus(_events(), os.environ["REWARDS_BUS"])


@cache
def published_events() -> frozenset[str]:
    """Names of the reward events that go out; the others are nobody's business."""
    return frozenset(os.environ["PUBLISHED_EVENTS"].split(","))


@cache
def findings() -> S3Findings:
    return S3Findings(_s3(), os.environ["FINDINGS_BUCKET"])


@cache
def visibility() -> SqsVisibility:
    return SqsVisibility(_sqs())


@cache
def letters() -> SqsLetters:
    return SqsLetters(_sqs(), os.environ["LETTERS_QUEUE"])


@cache
def kept_letters() -> KeptLetters:
    return KeptLetters(_s3(), os.environ["LETTERS_BUCKET"], _dynamodb(), os.environ["LETTERS_TABLE"])


def _is_service() -> bool:
    """Whether points and coupons are with somebody else's service, instead of in the wallet that is built in."""
    return os.environ["PROVIDER"] == "http"


@cache
def _service() -> HttpProvider:
    """Waiting for it is in real time, also where the steps' clock runs ahead."""
    secrets, name = boto3.client("secretsmanager", config=_CLIENT), os.environ["PROVIDER_SECRET"]
    token = Secret(lambda: secrets.get_secret_value(SecretId=name)["SecretString"])
    return HttpProvider(HttpOperations(os.environ["PROVIDER_URL"], token, now=lambda: datetime.now(UTC)))


@cache
def set_aside() -> SetAside:
    return SetAside(_s3(), os.environ["LETTERS_BUCKET"])


def step_behind(name: str) -> str:
    """The step that the queue or the function of this name in AWS is of; a name that is no such thing's is kept."""
    return _steps().get(name, name)


@cache
def _steps() -> Mapping[str, str]:
    steps: dict[str, str] = json.loads(os.environ["STEPS_BY_NAME"])
    return steps


def _number(setting: str) -> int:
    return int(os.environ[setting])


@cache
def _senders() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(SENDERS)


@cache
def _dynamodb() -> "DynamoDBClient":
    return quick_items(boto3.client("dynamodb", config=_CLIENT))


@cache
def _sqs() -> "SQSClient":
    return quick_batches(boto3.client("sqs", config=_CLIENT))


@cache
def _s3() -> "S3Client":
    return boto3.client("s3", config=_CLIENT)


@cache
def _events() -> "EventBridgeClient":
    return boto3.client("events", config=_CLIENT)
