"""The ways to release what is due in an hour, each measured in a process of its own.

    python -m bench.dispatch_ways WAY ROWS      with AWS_ENDPOINT_URL naming `bench.stub`

It prints what the way cost as JSON. Only the process's own CPU counts, from the first call on: starting is another bar.
"""

import json
import os
import resource
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import boto3
import msgspec
from msgspec import Struct

from adapters.bodies import read_as
from adapters.due_index import INDEX, Page
from bench.stub import DUE_AT, HOUR
from bootstrap.due_index import due_index
from bootstrap.lists import task_lists
from bootstrap.outlets import outlet
from bootstrap.queues import windows
from rewards.dispatching import dispatch
from rewards.tasks import Queue, ShardWindow, Task
from rewards.windows import slot

START, END = (slot("reward", at, HOUR) for at in (DUE_AT, DUE_AT + HOUR))
WINDOW = ShardWindow("reward", START[:10], 0, START, END)
PARTITION = f"reward#{WINDOW.date}#00"
QUEUE = "https://sqs.ap-northeast-1.amazonaws.com/123456789012/grant"
QUERY: dict[str, Any] = {
    "IndexName": INDEX,
    "KeyConditionExpression": "BookingDateUTC = :partition AND BookingTimeUTC BETWEEN :start AND :end",
    "ExpressionAttributeValues": {":partition": {"S": PARTITION}, ":start": {"S": START}, ":end": {"S": END}},
}


class Cost(Struct):
    """What a way took: seconds of CPU, MiB at its peak."""

    cpu_seconds: float
    peak_mib: float


class Encoding:
    """An outlet that writes the messages and sends none."""

    def send(self, tasks: list[Task]) -> None:
        for task in tasks:
            msgspec.json.encode(task).decode()

    def flush(self) -> None:
        pass


def ours(table: str) -> None:
    """The step's own calls, sending and all."""
    _dispatch(table, outlet)


def packing(table: str) -> None:
    """Ours, but for the sending: rows are read, grouped and written as messages."""
    encoding = Encoding()
    _dispatch(table, lambda _: encoding)


def _dispatch(table: str, outlets: Callable[[Queue], Any]) -> None:
    names = ("DISPATCH_QUEUE", "GRANT_POINTS_LOW_QUEUE", "GRANT_COUPON_LOW_QUEUE")
    os.environ |= {"LEDGER_TABLE": table, "TASKS_BUCKET": "tasks", **dict.fromkeys(names, QUEUE)}
    dispatch(
        WINDOW, due_index(), outlets, task_lists(), windows(),
        shut=(), out_of_time=lambda: False,
    )  # fmt: skip


def decoding(table: str) -> None:
    """Pages read into the same fields, and nothing done with them: the limit for a client of this kind."""
    client = boto3.client("dynamodb")
    read_as(client, "Query", Page)
    start: dict[str, Any] = {}
    while True:
        page: Any = client.query(TableName=table, **QUERY, **start)
        if not page["LastEvaluatedKey"]:
            return
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def source(table: str) -> None:
    """The source system's way: all rows collected, an object in S3 for each group, a message for each object."""
    queue, bucket = boto3.client("sqs"), boto3.client("s3")
    due_table = boto3.resource("dynamodb").Table(table)
    rows: list[Any] = []
    start: dict[str, Any] = {}
    values = {":partition": PARTITION, ":start": START, ":end": END}
    while True:
        page: Any = due_table.query(**{**QUERY, "ExpressionAttributeValues": values}, **start)
        rows += page["Items"]
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    for group, found in _grouped(rows, lambda row: row["BookingTimeUTC"]).items():
        name = f"reward/{START}/{'/'.join(group)}.json"
        bucket.put_object(Bucket="tasks", Key=name, Body=json.dumps(found).encode())
        queue.send_message(QueueUrl=QUEUE, MessageBody=json.dumps({"bucket": "tasks", "key": name}))


def batches(table: str) -> None:
    """The honest rival: all rows collected, a message for each group, ten messages to a call, no S3."""
    queue = boto3.client("sqs")
    pages = boto3.client("dynamodb").get_paginator("query").paginate(TableName=table, **QUERY)
    rows = [row for page in pages for row in page["Items"]]
    bodies = [
        json.dumps({"group": group, "orders": [row["Order"]["S"] for row in found]})
        for group, found in _grouped(rows, lambda row: row["BookingTimeUTC"]["S"]).items()
    ]
    for place in range(0, len(bodies), 10):
        entries: Any = [{"Id": str(id), "MessageBody": body} for id, body in enumerate(bodies[place : place + 10])]
        queue.send_message_batch(QueueUrl=QUEUE, Entries=entries)


def _grouped(rows: list[Any], key: Callable[[Any], str]) -> dict[tuple[str, ...], list[Any]]:
    """By shop, member and promotion."""
    return {
        tuple(head.split("#")[1:]): list(found)
        for head, found in groupby(rows, key=lambda row: key(row).rsplit("#", 2)[0])
    }


WAYS = {way.__name__: way for way in (ours, packing, decoding, source, batches)}


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_mib() -> float:
    """The most memory held so far; getrusage would tell the parent's where that was more."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def main(way: str, rows: str) -> None:
    began = cpu_seconds()
    WAYS[way](f"due-{rows}")
    print(msgspec.json.encode(Cost(cpu_seconds() - began, peak_mib())).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
