"""What becomes of a stream's batch of which something failed: as on AWS, and unlike in the emulator.

The emulator goes on behind a batch whatever its function answers, so what could not be written would never be told:
such as when it is stopped, and a function still at work reaches nothing any more.
"""

import json
from collections import Counter
from collections.abc import Callable
from contextvars import copy_context
from datetime import UTC, datetime
from typing import Any

from ministack.core.iam_evaluator import pin_request_origin
from ministack.services import lambda_svc, s3

Answer = dict[str, Any]


class InOrder:
    """Calls a function with a batch until all of it is written.

    AWS tries again from the record that failed, so many times, then sets that record aside and goes on behind it. Here
    the whole batch comes back, without what was set aside: to write a record twice changes nothing.
    """

    def __init__(
        self,
        run: Callable[[Any, Any], Answer],
        retries: Callable[[Any], int],
        set_aside: Callable[[Any, Any], None],
    ) -> None:
        self._run = run
        self._retries = retries
        self._set_aside = set_aside
        self._failures = Counter[tuple[str, str]]()
        self._given_up = set[tuple[str, str]]()

    def __call__(self, function: Any, event: Any) -> Answer:
        if not isinstance(event, dict) or not any("dynamodb" in record for record in event.get("Records", [])):
            return self._run(function, event)
        records = {_number(record): record for record in event["Records"]}
        left = [record for number, record in records.items() if (_arn(function), number) not in self._given_up]
        answer: Answer = self._run(function, {"Records": left}) if left else {"body": None}
        failed = [each["itemIdentifier"] for each in (answer["body"] or {}).get("batchItemFailures", [])]
        for number in failed:
            self._failures[_arn(function), number] += 1
            if self._failures[_arn(function), number] > self._retries(function):
                self._set_aside(function, records[number])
                self._given_up.add((_arn(function), number))
        return {**answer, "error": True} if failed else answer


def retries(function: Any) -> int:
    """How often the template has a record tried again."""
    return int(_reader(function)["MaximumRetryAttempts"])


def set_aside(function: Any, record: Any) -> None:
    """Put a record into the bucket that its reader names for what it gives up, just as Lambda writes it."""
    reader = _reader(function)
    arrived = datetime.fromtimestamp(record["dynamodb"]["ApproximateCreationDateTime"], UTC).isoformat()
    told = {
        "requestContext": {
            "functionArn": _arn(function),
            "condition": "RetryAttemptsExhausted",
            "approximateInvokeCount": retries(function) + 1,
        },
        "timestamp": datetime.now(UTC).isoformat(),
        "DDBStreamBatchInfo": {"approximateArrivalOfFirstRecord": arrived, "batchSize": 1},
        "payload": json.dumps({"Records": [record]}),
    }
    bucket = reader["DestinationConfig"]["OnFailure"]["Destination"].removeprefix("arn:aws:s3:::")
    key = f"aws/lambda/{reader['UUID']}/shardId-0/{_number(record)}"
    status, *_ = copy_context().run(_put, bucket, key, json.dumps(told).encode())
    if status != 200:
        raise RuntimeError(f"{bucket} did not take {key}: {status}")


def _put(bucket: str, key: str, body: bytes) -> Any:
    """As if over TLS, without which the bucket may tell nobody of the object."""
    pin_request_origin("127.0.0.1", secure_transport=True)
    return s3._put_object(bucket, key, body, {})


def _reader(function: Any) -> Any:
    """What the template says of the function's reading of a stream."""
    arn = _arn(function)
    sources = (source for *_, source in lambda_svc._iter_all_esms() if source["FunctionArn"] == arn)
    return next(source for source in sources if "/stream/" in source["EventSourceArn"])


def _arn(function: Any) -> str:
    return str((function.get("config") or function)["FunctionArn"])


def _number(record: Any) -> str:
    return str(record["dynamodb"]["SequenceNumber"])
