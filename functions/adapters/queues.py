"""Messages to SQS, as many to a call as it takes."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rewards.crm_messages import Batch, DelayedCollection
from rewards.tasks import Delayed, Task, Timer

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

BATCH_MESSAGES = 10
BATCH_BYTES = 1024 * 1024
TRIES = 3


class NotSent(Exception):
    """Messages the queue did not take, after they were tried again."""


class Outgoing(NamedTuple):
    """A message on its way: its body, and for how many seconds nobody is to see it."""

    body: str
    delay: int = 0


class SqsTaskQueue:
    """The ports `rewards.tasks.TaskQueue` and `rewards.sweeping.MeasuredQueue` over one queue."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, tasks: list[Task]) -> None:
        _send(self._client, self._url, (Outgoing(_body(task)) for task in tasks))

    def send_over(self, span: timedelta, tasks: list[Task]) -> None:
        delays = (ceil((span * place / len(tasks)).total_seconds()) for place in range(len(tasks)))
        _send(
            self._client, self._url, (Outgoing(_body(task), delay) for task, delay in zip(tasks, delays, strict=True))
        )

    def depth(self) -> int:
        """About how many messages there are: waiting, delayed and being worked on."""
        counted = self._client.get_queue_attributes(
            QueueUrl=self._url,
            AttributeNames=[
                "ApproximateNumberOfMessages",
                "ApproximateNumberOfMessagesDelayed",
                "ApproximateNumberOfMessagesNotVisible",
            ],
        )
        return sum(map(int, counted["Attributes"].values()))


class SqsTimerQueue:
    """The port `rewards.tasks.TimerQueue` over one queue."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, timers: list[Timer]) -> None:
        _send(
            self._client,
            self._url,
            (Outgoing(_body(timer.task), ceil(timer.delay.total_seconds())) for timer in timers),
        )


class SqsWindowQueue:
    """The port `rewards.tasks.WindowQueue` over one queue."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, windows: list[Delayed]) -> None:
        _send(
            self._client,
            self._url,
            (Outgoing(_body(each.window), ceil(each.delay.total_seconds())) for each in windows),
        )


class SqsCollectQueue:
    """The port `rewards.crm_messages.CollectQueue` over one queue."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, collections: list[DelayedCollection]) -> None:
        _send(
            self._client,
            self._url,
            (Outgoing(_body(each.collection), ceil(each.delay.total_seconds())) for each in collections),
        )


class SqsBatchQueue:
    """The port `rewards.crm_messages.BatchQueue` over one queue."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, batches: list[Batch]) -> None:
        _send(self._client, self._url, (Outgoing(_body(batch)) for batch in batches))


def _body(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()


def _send(client: "SQSClient", url: str, messages: Iterable[Outgoing]) -> None:
    for batch in _batches(messages):
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {"Id": str(place), "MessageBody": message.body, "DelaySeconds": message.delay}
            for place, message in enumerate(batch)
        ]
        _send_batch(client, url, entries)


def _send_batch(client: "SQSClient", url: str, entries: "list[SendMessageBatchRequestEntryTypeDef]") -> None:
    """The call may answer well and still have failed for some entries: those are sent again. Raises `NotSent`."""
    for _ in range(TRIES):
        failed = client.send_message_batch(QueueUrl=url, Entries=entries).get("Failed", [])
        if not failed:
            return
        ids = {failure["Id"] for failure in failed}
        entries = [entry for entry in entries if entry["Id"] in ids]
        if all(failure["SenderFault"] for failure in failed):
            break
    raise NotSent(f"{len(failed)} messages to {url}: {failed[0]['Code']} {failed[0].get('Message', '')}")


def _batches(messages: Iterable[Outgoing]) -> Iterator[list[Outgoing]]:
    """Batches no larger than a call takes."""
    batch: list[Outgoing] = []
    size = 0
    for message in messages:
        length = len(message.body.encode())
        if batch and (len(batch) == BATCH_MESSAGES or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += length
    if batch:
        yield batch
