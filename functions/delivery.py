"""Delivery: how a step works the messages it is given, and what becomes of one that fails.

Messages come at least once and in any order. Each stands for itself: the answer names those that are to come back, and
the others are gone. What can never be right is parked at once, with the error; what a newer version of this code wrote
comes back until it is read by one.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from aws_lambda_powertools.utilities.typing import LambdaContext

from bootstrap.clock import ahead, now
from bootstrap.delivering import letters, visibility
from rewards.errors import Invalid, RewardsError, TooNew
from rewards.given_up import parked
from rewards.letters import FailureKind
from rewards.messages import Message
from telemetry import logger, tally

Event = dict[str, Any]
Record = dict[str, Any]
Answer = dict[str, list[dict[str, str]]]
Read = TypeVar("Read")

TIME_TO_STOP_MILLIS = 10_000


class Retry(NamedTuple):
    """How often a message is tried, and how many seconds it rests in between: `pause` doubling up to `pause_most`.

    On its last try it is parked, unless what it names stands in the due index anyway.
    """

    tries: int
    pause: int
    pause_most: int
    is_parked: bool

    def pause_after(self, message: Message) -> int:
        """Seconds until the next try: some less than the full pause, so that what failed together returns apart."""
        full = min(self.pause << (message.attempts - 1), self.pause_most)
        return full - zlib.crc32(f"{message.id}{message.attempts}".encode()) % (full // 2)


ORDER_EVENTS = Retry(tries=12, pause=30, pause_most=3600, is_parked=True)
"""Nobody sends an order event again: it is tried for some four hours, then kept for a person."""

DUE_WORK = Retry(tries=3, pause=5, pause_most=10, is_parked=False)
"""Tasks name rows that are due: after three quick tries the sweep brings them back."""

FILES = Retry(tries=5, pause=30, pause_most=900, is_parked=True)
"""The next day's run takes a file again that was not read to its end; a person should know by then."""

WINDOWS = Retry(tries=8, pause=15, pause_most=300, is_parked=False)
"""A window may hold more than the sweep takes in an hour, so it is tried until the sweep would begin on it."""


def each(event: Event, work: Callable[[Message], None], *, retry: Retry | None) -> Answer:
    """Work a queue's batch message by message; the answer names those that are to come back.

    Without a `retry` what fails comes back for ever, at its queue's own pace.
    """
    messages = _messages(event)
    return _to_come_back(message.id for message in messages if not _finished(message, work, retry))


def together(
    event: Event,
    read: Callable[[str], Read],
    work: Callable[[list[Read]], Sequence[Exception | None]],
    *,
    retry: Retry,
) -> Answer:
    """Work a queue's batch as one: read the body of each message, then work on all that could be read.

    Each still stands for itself: `work` says of each what it failed with, if it did. Where it raises, all have failed.
    """
    messages = _messages(event)
    failed: dict[str, Exception] = {}
    bodies: dict[str, Read] = {}
    for message in messages:
        try:
            bodies[message.id] = read(message.body)
        except Exception as error:
            failed[message.id] = error
    try:
        errors = work([*bodies.values()])
    except Exception as error:
        errors = [error] * len(bodies)
    failed |= {id: error for id, error in zip(bodies, errors, strict=True) if error}
    return _to_come_back(
        message.id
        for message in messages
        if message.id in failed and not _is_dealt_with(message, failed[message.id], retry)
    )


def in_order(event: Event, read: Callable[[Record], Read], write: Callable[[list[Read]], None]) -> Answer:
    """Work a batch of a stream: read the records, then write what was read in one go.

    The order of a stream counts, so the answer names the first record that failed and all after it come back with it.
    A write that fails brings back the whole batch: writing must be repeatable.
    """
    read_so_far: list[Read] = []
    failed: list[str] = []
    for record in event["Records"]:
        try:
            read_so_far.append(read(record))
        except Exception:
            failed = [record["dynamodb"]["SequenceNumber"]]
            logger.exception("a record cannot be read", extra={"sequence_number": failed[0]})
            break
    try:
        write(read_so_far)
    except Exception:
        failed = [event["Records"][0]["dynamodb"]["SequenceNumber"]]
        logger.exception("a batch cannot be written", extra={"sequence_number": failed[0]})
    return _to_come_back(failed)


def out_of_time(context: LambdaContext) -> Callable[[], bool]:
    """Whether a worker should send the rest of its work on: a call of a provider may still take seconds."""
    stop_at = monotonic() + (context.get_remaining_time_in_millis() - TIME_TO_STOP_MILLIS) / 1000
    return lambda: monotonic() > stop_at


def _finished(message: Message, work: Callable[[Message], None], retry: Retry | None) -> bool:
    """Work a message; whether it is done with, well or not."""
    try:
        work(message)
    except Exception as error:
        return _is_dealt_with(message, error, retry)
    return True


def _is_dealt_with(message: Message, error: Exception, retry: Retry | None) -> bool:
    """Tell of the failure; whether the message is done with all the same."""
    logger.warning(
        "a message failed",
        exc_info=None if isinstance(error, RewardsError) else error,
        extra={"message_id": message.id, "attempts": message.attempts, "error": type(error).__name__},
    )
    return retry is not None and _given_up(message, error, retry)


def _given_up(message: Message, error: Exception, retry: Retry) -> bool:
    if isinstance(error, Invalid):
        return _laid_aside(message, "invalid", error)
    if isinstance(error, TooNew) or message.attempts < retry.tries:
        _put_off(message, retry.pause_after(message))
        return False
    return _laid_aside(message, "exhausted", error) if retry.is_parked else True


def _laid_aside(message: Message, kind: FailureKind, error: Exception) -> bool:
    """Park a message; whether its letter is on its way. One that cannot be parked stays a failure."""
    try:
        letters().send(parked(message, kind, error, step=logger.service, now=now()))
    except Exception:
        logger.exception("a message cannot be parked", extra={"message_id": message.id})
        return False
    tally("Parked")
    return True


def _put_off(message: Message, seconds: int) -> None:
    """Let the message rest; where that fails, it comes back at its queue's own pace."""
    tally("TriedAgain")
    try:
        visibility().hide(message, seconds)
    except Exception:
        logger.exception("a message cannot be put off", extra={"message_id": message.id})


def _messages(event: Event) -> list[Message]:
    """A queue knows real time only: when it first gave a message out is told by the steps' clock, as all else is."""
    clock_ahead = ahead()
    return [_message(record, clock_ahead) for record in event["Records"]]


def _message(record: Record, clock_ahead: timedelta) -> Message:
    queue, told = record["eventSourceARN"], record["attributes"]
    first_received_at = datetime.fromtimestamp(int(told["ApproximateFirstReceiveTimestamp"]) / 1000, UTC)
    return Message(
        id=record["messageId"],
        body=record["body"],
        queue=queue,
        source=told.get("DeadLetterQueueSourceArn", queue),
        receipt=record["receiptHandle"],
        attempts=int(told["ApproximateReceiveCount"]),
        first_received_at=first_received_at + clock_ahead,
        attributes={
            name: value["stringValue"]
            for name, value in record.get("messageAttributes", {}).items()
            if "stringValue" in value  # bytes are nothing of ours
        },
    )


def _to_come_back(failed: Iterable[str]) -> Answer:
    return {"batchItemFailures": [{"itemIdentifier": name} for name in failed]}
