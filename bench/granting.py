"""The grant of 10,000 rewards: what it costs a worker.

Run as `python -m bench.granting` in the project's folder. DynamoDB and SQS are MiniStack in a process of its own, so
that the CPU counted is the worker's alone. Ours is the real handler, from the messages it is handed to the answer it
gives. The other way is what one writes first, by plain boto3: for each reward a call to claim it, a call for its entry
in the wallet, and a call to settle it.
"""

import contextlib
import os
import resource
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import uuid4

import boto3

from bench.owed import (
    BATCH,
    MESSAGE,
    a_cloud,
    a_context,
    an_event,
    counted_calls,
    granted,
    make_tables,
    messages_of,
    owe,
)
from bench.table import Measured, progress, show
from rewards.identifiers import join
from rewards.reward import Reward

PART = "Grant of 10 k rewards"
REWARDS, REWARDS_ALONE = 10_000, 2_000


class Cost(NamedTuple):
    """Of one reward, in the mean."""

    cpu_millis: float
    calls: float


def measure() -> list[Measured]:
    with a_cloud():
        progress(f"{REWARDS} rewards granted by the handler")
        ours = _ours()
        progress(f"{REWARDS_ALONE} rewards granted by a call for each change")
        alone = _alone()
    share = ours.cpu_millis / alone.cpu_millis
    return [
        Measured(PART, f"one call for each change, CPU per reward ({REWARDS_ALONE})", f"{alone.cpu_millis:.3f} ms"),
        Measured(PART, "one call for each change, calls per reward", f"{alone.calls:.2f}"),
        Measured(PART, "ours, CPU per reward, from message to answer", f"{ours.cpu_millis:.3f} ms"),
        Measured(PART, "ours, share of that CPU", f"1/{1 / share:.1f}", "≤ 1/10", share <= 0.1),
        Measured(PART, "ours, calls per reward", f"{ours.calls:.3f}", "≤ 0.2", ours.calls <= 0.2),
    ]


def _ours() -> Cost:
    make_tables()
    calls = counted_calls()
    from steps.grant_points import handler

    batches = [an_event(batch) for batch in _batches(owe(REWARDS))]
    first, *rest = batches
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        handler(first, a_context())
        calls.clear()
        begun = _cpu()
        answers = [handler(event, a_context()) for event in rest]
        millis = (_cpu() - begun) * 1000
    if any(answer["batchItemFailures"] for answer in answers) or len(granted()) != REWARDS:
        raise RuntimeError("not all were granted")
    counted = REWARDS - MESSAGE * BATCH  # without the first invocation, which loads what it needs
    return Cost(millis / counted, len(calls) / counted)


def _alone() -> Cost:
    make_tables()
    client, rows = boto3.Session().client("dynamodb"), owe(REWARDS_ALONE)
    _grant_alone(client, rows[0])
    begun = _cpu()
    for row in rows[1:]:
        _grant_alone(client, row)
    millis = (_cpu() - begun) * 1000
    if len(granted()) != REWARDS_ALONE:
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


def _batches(rows: list[Reward]) -> Iterator[list[str]]:
    messages = [*messages_of(rows)]
    return (messages[start : start + BATCH] for start in range(0, len(messages), BATCH))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    show(measure())
