"""The grant of 10,000 rewards: what it costs a worker, and what three workers that are killed do not lose or double.

Run as `python -m bench.granting` in the project's folder. DynamoDB and SQS are MiniStack in a process of its own, so
that the CPU counted is the worker's alone. Ours is the real handler, from the messages it is handed to the answer it
gives. The other way is what one writes first, by plain boto3: for each reward a call to claim it, a call for its entry
in the wallet, and a call to settle it.
"""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import uuid4

import boto3
from msgspec.structs import replace

from adapters.items import reward_item, reward_of
from bench.table import Measured, progress, show
from bootstrap.clients import session
from ops.embedded import cloud
from rewards.identifiers import join
from rewards.reward import Reward
from rewards.status import Status
from rewards.tasks import task_of
from tests.builders import a_reward
from tests.fakes.tables import make_ledger_table, make_table

PART = "Grant of 10 k rewards"
REWARDS, REWARDS_ALONE, REWARDS_OF_THE_KILLED = 10_000, 2_000, 2_000
MESSAGE, BATCH = 25, 10
"""Rewards to a message, and messages to an invocation: as the dispatcher packs them and the event source hands them."""

LEASE_SECONDS, VISIBILITY_SECONDS = 2, 4
"""So short that what a killed worker held is soon looked at again."""

KILLED_AT = (9, 19, 29)
"""Calls of an invocation: in the midst of its claims, of its entries in the wallet, and of its settling."""

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


class Cost(NamedTuple):
    """Of one reward, in the mean."""

    cpu_millis: float
    calls: float


def measure() -> list[Measured]:
    with tempfile.TemporaryDirectory() as folder:
        running = cloud.start(Path(folder), "bench")
        try:
            _at(running.endpoint)
            progress(f"{REWARDS} rewards granted by the handler")
            ours = _ours()
            progress(f"{REWARDS_ALONE} rewards granted by a call for each change")
            alone = _alone()
            progress("three workers killed while they grant")
            lost, doubled = _killed()
        finally:
            cloud.stop(Path(folder), running)
    share = ours.cpu_millis / alone.cpu_millis
    return [
        Measured(PART, f"one call for each change, CPU per reward ({REWARDS_ALONE})", f"{alone.cpu_millis:.3f} ms"),
        Measured(PART, "one call for each change, calls per reward", f"{alone.calls:.2f}"),
        Measured(PART, "ours, CPU per reward, from message to answer", f"{ours.cpu_millis:.3f} ms"),
        Measured(PART, "ours, share of that CPU", f"1/{1 / share:.1f}", "≤ 1/10", share <= 0.1),
        Measured(PART, "ours, calls per reward", f"{ours.calls:.3f}", "≤ 0.2", ours.calls <= 0.2),
        Measured(PART, f"lost after three kill -9 ({REWARDS_OF_THE_KILLED})", str(lost), "0", lost == 0),
        Measured(PART, f"doubled after three kill -9 ({REWARDS_OF_THE_KILLED})", str(doubled), "0", doubled == 0),
    ]


def _ours() -> Cost:
    _make_tables()
    calls = _counted_calls()
    from steps.grant_points import handler

    batches = [_event(batch) for batch in _batches(_owe(REWARDS))]
    first, *rest = batches
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        handler(first, _context())
        calls.clear()
        begun = _cpu()
        answers = [handler(event, _context()) for event in rest]
        millis = (_cpu() - begun) * 1000
    if any(answer["batchItemFailures"] for answer in answers) or len(_granted()) != REWARDS:
        raise RuntimeError("not all were granted")
    granted = REWARDS - MESSAGE * BATCH
    return Cost(millis / granted, len(calls) / granted)


def _alone() -> Cost:
    _make_tables()
    client, rows = boto3.Session().client("dynamodb"), _owe(REWARDS_ALONE)
    _grant_alone(client, rows[0])
    begun = _cpu()
    for row in rows[1:]:
        _grant_alone(client, row)
    millis = (_cpu() - begun) * 1000
    if len(_granted()) != REWARDS_ALONE:
        raise RuntimeError("not all were granted")
    return Cost(millis / (REWARDS_ALONE - 1), 3)


def _grant_alone(client: Any, row: Reward) -> None:
    key = {"Order": {"S": join(*row.id.order)}, "Item": {"S": join("REWARD", row.id.promotion_id)}}
    grant, token = join(*row.id, "grant", "0"), {"S": str(uuid4())}
    lock = {"M": {"token": token, "until": {"S": "2099-01-01T00:00:00Z"}, "key": {"S": grant}}}
    claimed = client.update_item(
        TableName="LEDGER_TABLE",
        Key=key,
        UpdateExpression="SET #Lock = :lock, #Version = #Version + :one",
        ConditionExpression="#Status = :wait AND attribute_not_exists(#Lock)",
        ExpressionAttributeNames={"#Lock": "Lock", "#Status": "Status", "#Version": "Version"},
        ExpressionAttributeValues={":lock": lock, ":wait": {"S": "WaitToReward"}, ":one": {"N": "1"}},
        ReturnValues="ALL_NEW",
    )["Attributes"]
    client.put_item(
        TableName="WALLET_TABLE",
        Item={"Member": claimed["MemberId"], "Item": {"S": f"ENTRY#{grant}"}, "Points": claimed["Points"]},
        ConditionExpression="attribute_not_exists(#Member)",
        ExpressionAttributeNames={"#Member": "Member"},
    )
    client.update_item(
        TableName="LEDGER_TABLE",
        Key=key,
        UpdateExpression="SET #Status = :reward, IsReward = :true, GrantedAt = :now, UpdateReason = :granted, "
        "ChangedAt = :now, #Version = #Version + :one REMOVE #Lock, BookingDateUTC, BookingTimeUTC",
        ConditionExpression="#Lock.#token = :token",
        ExpressionAttributeNames={"#Status": "Status", "#Version": "Version", "#Lock": "Lock", "#token": "token"},
        ExpressionAttributeValues={
            ":reward": {"S": "Reward"},
            ":true": {"BOOL": True},
            ":now": {"S": datetime.now(UTC).isoformat()},
            ":granted": {"S": "granted"},
            ":one": {"N": "1"},
            ":token": token,
        },
    )


def _killed() -> tuple[int, int]:
    """How many rewards were lost and how many doubled, when all that was sent again is worked off."""
    _make_tables()
    rows, queue = _owe(REWARDS_OF_THE_KILLED), os.environ["GRANT_POINTS_LOW_QUEUE"]
    _send(rows, queue)
    ended = [_run_worker(at) for at in KILLED_AT]
    if ended != [-signal.SIGKILL] * len(KILLED_AT):
        raise RuntimeError(f"workers were to be killed, but ended with {ended}")
    left = rows
    while left:
        _run_worker(None)
        granted = _granted()
        left = [row for row in left if row.id not in granted]
        _send(left, queue)  # as the sweep does with whatever is overdue
    given = Counter(entry["Member"]["S"] for entry in _scan("WALLET_TABLE"))
    members = {join(row.id.shop_id, row.member_id) for row in rows}
    return len(members - given.keys()), sum(times - 1 for times in given.values())


def _run_worker(killed_at: int | None) -> int:
    """A worker that drains the queue, or dies before that call."""
    worker = [sys.executable, "-m", "bench.granting", "worker", str(killed_at or 0)]
    return subprocess.run(worker, stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603


def work(killed_at: int) -> None:
    """Drain the queue as Lambda does, until nothing has come for as long as a message is hidden."""
    calls = _counted_calls()
    if killed_at:
        session().register("before-send.dynamodb", lambda **_: _die(calls, killed_at))
    from steps.grant_points import handler

    sqs, queue = boto3.Session().client("sqs"), os.environ["GRANT_POINTS_LOW_QUEUE"]
    while messages := sqs.receive_message(
        QueueUrl=queue,
        MaxNumberOfMessages=BATCH,
        VisibilityTimeout=VISIBILITY_SECONDS,
        WaitTimeSeconds=VISIBILITY_SECONDS + 1,
        MessageSystemAttributeNames=["All"],
    ).get("Messages", []):
        answer = handler(_event([message["Body"] for message in messages], messages), _context())
        back = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        for message in messages:
            if message["MessageId"] not in back:
                sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])


def _die(calls: list[str], at: int) -> None:
    if len(calls) == at:
        os.kill(os.getpid(), signal.SIGKILL)


def _at(endpoint: str) -> None:
    credentials = {"AWS_ACCESS_KEY_ID": cloud.CREDENTIALS, "AWS_SECRET_ACCESS_KEY": cloud.CREDENTIALS}
    where = {"AWS_ENDPOINT_URL": endpoint, "AWS_DEFAULT_REGION": cloud.REGION}
    os.environ.update({**SETTINGS, **credentials, **where, **{table: table for table in TABLES}})
    sqs = boto3.Session().client("sqs")
    for queue in ("GRANT_POINTS_LOW_QUEUE", "RECYCLE_POINTS_QUEUE", "RECYCLE_COUPON_QUEUE", "LETTERS_QUEUE"):
        os.environ[queue] = sqs.create_queue(QueueName=queue)["QueueUrl"]


def _make_tables() -> None:
    client = boto3.Session().client("dynamodb")
    for table in client.list_tables()["TableNames"]:
        client.delete_table(TableName=table)
    for table, keys in TABLES.items():
        if keys:
            make_table(client, table, *keys)
        else:
            make_ledger_table(client, table)


def _owe(rewards: int) -> list[Reward]:
    """Rewards of 50 points, each of an order and a member of its own, that are due."""
    rows = [
        a_reward(
            order_group=f"TG261103A{number:07}",
            member_id=f"10{number:08}",
            booking_time=datetime(2026, 11, 9, tzinfo=UTC),
        )
        for number in range(rewards)
    ]
    rows = [replace(row, booking_time=datetime(2020, 11, 9, tzinfo=UTC)) for row in rows]
    client = boto3.Session().client("dynamodb")
    for start in range(0, rewards, 25):
        puts: Any = [{"PutRequest": {"Item": reward_item(row)}} for row in rows[start : start + 25]]
        client.batch_write_item(RequestItems={"LEDGER_TABLE": puts})
    return rows


def _batches(rows: list[Reward]) -> Iterator[list[str]]:
    messages = [*_messages(rows)]
    return (messages[start : start + BATCH] for start in range(0, len(messages), BATCH))


def _messages(rows: list[Reward]) -> Iterator[str]:
    for start in range(0, len(rows), MESSAGE):
        groups = [group for row in rows[start : start + MESSAGE] for group in task_of(row).groups]
        yield json.dumps({"groups": [_plain(group) for group in groups], "v": 1})


def _plain(group: Any) -> dict[str, Any]:
    return {name: getattr(group, name) for name in group.__struct_fields__}


def _send(rows: list[Reward], queue: str) -> None:
    sqs = boto3.Session().client("sqs")
    for message in _messages(rows):
        sqs.send_message(QueueUrl=queue, MessageBody=message)


def _event(bodies: list[str], messages: list[Any] | None = None) -> dict[str, Any]:
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


def _context() -> Any:
    return SimpleNamespace(
        function_name="grant_points",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:ap-northeast-1:000000000000:function:grant_points",
        aws_request_id=str(uuid4()),
        get_remaining_time_in_millis=lambda: 60_000,
    )


def _counted_calls() -> list[str]:
    """The calls that the handler makes from now on."""
    calls: list[str] = []

    def called(**told: Any) -> None:
        calls.append(told["event_name"])

    session().register("before-send", called)
    return calls


def _granted() -> set[Any]:
    rows = [reward_of(item) for item in _scan("LEDGER_TABLE")]
    return {row.id for row in rows if row.status is Status.REWARD and row.lock is None and row.due is None}


def _scan(table: str) -> list[Any]:
    pages = boto3.Session().client("dynamodb").get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return [item for page in pages for item in page["Items"]]


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        work(int(sys.argv[2]))
    else:
        show(measure())
