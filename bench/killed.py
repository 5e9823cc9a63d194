"""Three workers that are killed while they grant: what is lost and what is doubled. It should be nothing, and nothing.

Run as `python -m bench.killed` in the project's folder. Each worker is a process with the real handler, fed from a
queue of MiniStack's as Lambda does it, and dies by `kill -9` before one call of an invocation. What is still owed when
the queue is empty is sent again, as the sweep does.
"""

import os
import signal
import subprocess
import sys
from collections import Counter

import boto3

from bench.owed import (
    BATCH,
    VISIBILITY_SECONDS,
    a_cloud,
    a_context,
    an_event,
    counted_calls,
    granted,
    make_tables,
    messages_of,
    owe,
    scan,
)
from bench.table import Measured, progress, show
from bootstrap.clients import session
from rewards.identifiers import join
from rewards.reward import Reward

PART = "Workers killed while they grant"
REWARDS = 2_000
KILLED_AT = (9, 19, 29)
"""Calls of an invocation: in the midst of its claims, of its entries in the wallet, and of its settling."""


def measure() -> list[Measured]:
    with a_cloud():
        progress("three workers killed while they grant")
        lost, doubled = _killed()
    return [
        Measured(PART, f"lost after three kill -9 ({REWARDS})", str(lost), "0", lost == 0),
        Measured(PART, f"doubled after three kill -9 ({REWARDS})", str(doubled), "0", doubled == 0),
    ]


def _killed() -> tuple[int, int]:
    """How many rewards were lost and how many doubled, when all that was sent again is worked off."""
    make_tables()
    rows, queue = owe(REWARDS), os.environ["GRANT_POINTS_LOW_QUEUE"]
    _send(rows, queue)
    ended = [_run_worker(at) for at in KILLED_AT]
    if ended != [-signal.SIGKILL] * len(KILLED_AT):
        raise RuntimeError(f"workers were to be killed, but ended with {ended}")
    left = rows
    while left:
        _run_worker(None)
        done = granted()
        left = [row for row in left if row.id not in done]
        _send(left, queue)  # as the sweep does with whatever is overdue
    given = Counter(entry["Member"]["S"] for entry in scan("WALLET_TABLE"))
    members = {join(row.id.shop_id, row.member_id) for row in rows}
    return len(members - given.keys()), sum(times - 1 for times in given.values())


def _run_worker(killed_at: int | None) -> int:
    """A worker that drains the queue, or dies before that call."""
    worker = [sys.executable, "-m", "bench.killed", "worker", str(killed_at or 0)]
    return subprocess.run(worker, stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603


def work(killed_at: int) -> None:
    """Drain the queue as Lambda does, until nothing has come for as long as a message is hidden."""
    calls = counted_calls()
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
        answer = handler(an_event([message["Body"] for message in messages], messages), a_context())
        back = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        for message in messages:
            if message["MessageId"] not in back:
                sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])


def _die(calls: list[str], at: int) -> None:
    if len(calls) == at:
        os.kill(os.getpid(), signal.SIGKILL)


def _send(rows: list[Reward], queue: str) -> None:
    sqs = boto3.Session().client("sqs")
    for message in messages_of(rows):
        sqs.send_message(QueueUrl=queue, MessageBody=message)


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        work(int(sys.argv[2]))
    else:
        show(measure())
