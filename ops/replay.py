"""Sending a dead letter's message on its way back, over the stack's own queues, functions and bus."""

import json

import msgspec

from adapters.ledger import DynamoLedger
from adapters.queues import SqsTaskQueue
from adapters.quota import DynamoQuota
from ops import clock
from ops.stack import Stack
from rewards.letters import Letter
from rewards.redriving import redrive
from rewards.replaying import ToBus, ToFunction, ToQueue, ToRow, way_back
from rewards.reward import RewardId
from rewards.tasks import Queue


class FailedAgainError(Exception):
    """It was sent, and failed or was not taken."""


class Replay:
    """What `by` redrives, letter by letter."""

    def __init__(self, stack: Stack, *, by: str) -> None:
        self._stack = stack
        self._by = by
        self._work = {url.rsplit("/", 1)[-1]: url for url in json.loads(stack["WorkQueueUrls"])}
        self._tasks: dict[Queue, str] = json.loads(stack["TaskQueueUrls"])
        quota = DynamoQuota(stack.dynamodb, stack["QuotaTableName"])
        self._ledger = DynamoLedger(stack.dynamodb, stack["LedgerTableName"], quota)

    def __call__(self, letter: Letter) -> bool:
        """Send it; False if there was nothing left to try. Raises when it could not be sent, or failed at once."""
        match way_back(letter, self._work):
            case ToRow(id=id):
                return self._put_back(id)
            case ToQueue(queue=queue, body=body, attributes=attributes):
                self._send(self._work[queue], body, attributes)
            case ToFunction(arn=arn, event=event):
                self._call(arn, bytes(event))
            case ToBus() as way:
                self._put(way)
        return True

    def _put_back(self, id: RewardId) -> bool:
        return redrive(
            id,
            self._ledger,
            self._task_queue,
            by=self._by,
            timetable=self._stack.timetable,
            now=clock.now(self._stack),
        )

    def _task_queue(self, name: Queue) -> SqsTaskQueue:
        return SqsTaskQueue(self._stack.sqs, self._tasks[name])

    def _send(self, url: str, body: str, attributes: dict[str, str]) -> None:
        self._stack.sqs.send_message(
            QueueUrl=url,
            MessageBody=body,
            MessageAttributes={
                name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()
            },
        )  # fmt: skip

    def _call(self, arn: str, event: bytes) -> None:
        """Wait for the answer: an event has no attributes to carry a count, so it must be told here if it fails again.

        A reader of a stream may answer well and still name the record as failed.
        """
        answer = self._stack.functions.invoke(FunctionName=arn, Payload=event)
        told = answer["Payload"].read()
        if "FunctionError" in answer:
            raise FailedAgainError(told.decode())
        match msgspec.json.decode(told or b"null"):
            case {"batchItemFailures": [_, *_]}:
                raise FailedAgainError("the record failed again; the function's log says why")

    def _put(self, way: ToBus) -> None:
        answer = self._stack.events.put_events(
            Entries=[
                {
                    "EventBusName": self._stack["OrdersBusName"],
                    "Source": str(way.event.get("source")),
                    "DetailType": str(way.event["detail-type"]),
                    "Detail": json.dumps(way.event["detail"], ensure_ascii=False),
                    "Resources": way.resources,
                }
            ]
        )
        (entry,) = answer["Entries"]
        if "ErrorCode" in entry:
            raise FailedAgainError(f"the bus did not take it: {entry.get('ErrorMessage')}")
