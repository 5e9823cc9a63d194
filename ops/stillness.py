"""Waiting until all that was sent has been worked off.

Nothing tells when a chain of queues is done, so it is asked for until the answer stays the same: no queue of the stack
holds a message, in sight, in flight or delayed, and the history has caught up with the rows.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ops.stack import Stack
from ops.terminal import counted
from ops.trouble import Trouble
from rewards.identifiers import split

if TYPE_CHECKING:
    from mypy_boto3_sqs.literals import QueueAttributeNameType

PATIENCE_SECONDS = 300
"""After the last message that was hidden is in sight again."""

BETWEEN_LOOKS_SECONDS = 0.3
COUNTED: Sequence["QueueAttributeNameType"] = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)
HISTORY_BEHIND = "history is behind, or a row cannot be read, of which `rewards dead-letters list` tells"
LOOKS_ALIKE = 3
"""An empty queue may be about to get the next step's message, so it must be found empty so many times in a row."""


def wait_until_still(
    stack: Stack,
    *,
    patience: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    patience = longest_hiding(stack) + PATIENCE_SECONDS if patience is None else patience
    deadline = clock() + patience
    looks = 0
    while looks < LOOKS_ALIKE:
        busy = busy_queues(stack)
        looks = 0 if busy else looks + 1
        if looks == LOOKS_ALIKE and history_behind(stack):
            looks = 0
        if clock() > deadline:
            raise Trouble(f"After {patience:.0f} s the stack is still at work: {_named(busy) or HISTORY_BEHIND}.")
        sleep(BETWEEN_LOOKS_SECONDS)


def longest_hiding(stack: Stack) -> int:
    """The seconds for which a message may be out of sight because its worker died, before another gets it."""
    asked = (stack.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"]) for url in stack.queues)
    return max(int(answer["Attributes"]["VisibilityTimeout"]) for answer in asked)


def busy_queues(stack: Stack) -> dict[str, int]:
    """How many messages each queue holds that is not empty."""
    busy = {}
    for url in stack.queues:
        attributes = stack.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=COUNTED)["Attributes"]
        if url == stack["TimersQueueUrl"]:
            attributes.pop("ApproximateNumberOfMessagesDelayed")  # a timer that runs is no work yet
        if messages := sum(map(int, attributes.values())):
            busy[url.rsplit("/", 1)[-1]] = messages
    return busy


def history_behind(stack: Stack) -> int:
    """How many rewards have a change that is not in their history yet; on AWS nobody reads a whole table for that."""
    if not stack.embedded:
        return 0
    pages = stack.dynamodb.get_paginator("scan").paginate(
        TableName=stack["LedgerTableName"],
        ProjectionExpression="#Order, #Item, ChangedVersion",
        ExpressionAttributeNames={"#Order": "Order", "#Item": "Item"},
        ConsistentRead=True,
    )
    changed: dict[tuple[str, str], int] = {}
    told: defaultdict[tuple[str, str], int] = defaultdict(int)
    for page in pages:
        for item in page["Items"]:
            order, (kind, *rest) = item["Order"]["S"], split(item["Item"]["S"])
            if kind == "REWARD":
                changed[order, rest[0]] = int(item["ChangedVersion"]["N"])
            if kind == "HISTORY":
                told[order, rest[0]] = max(told[order, rest[0]], int(rest[1]))
    return sum(told[reward] < version for reward, version in changed.items())


def _named(busy: dict[str, int]) -> str:
    return ", ".join(f"{counted(messages, 'message')} in {queue}" for queue, messages in busy.items())
