"""Records that a stream's reader gave up: Lambda sets them aside whole in a bucket, which tells of each object by S3's
own message. A queue would have got only their numbers in the stream, which forgets them after a day.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

import msgspec
from msgspec import Raw, Struct, field

from adapters.items import reward_id
from rewards import __version__
from rewards.letters import Letter, name_in
from rewards.messages import Message

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class SetAside:
    """The objects in one bucket that hold what was set aside."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def letters_told_of(self, message: Message, *, ahead: timedelta) -> list[Letter] | None:
        """A letter for each record in the objects that a message tells of; None if it is no such message.

        Lambda knows real time only: how far the steps' clock runs `ahead` of it is added.
        """
        keys = _keys_in(message.body)
        return None if keys is None else [letter for key in keys for letter in self._letters_in(key, ahead)]

    def _letters_in(self, key: str, ahead: timedelta) -> Iterator[Letter]:
        body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        invocation = msgspec.json.decode(body, type=_Invocation)
        return (_letter(bytes(record), invocation, ahead) for record in invocation.records)


class _Reader(Struct, rename="camel"):
    function_arn: str
    condition: str
    approximate_invoke_count: int


class _BatchInfo(Struct, rename="camel"):
    approximate_arrival_of_first_record: datetime


class _Batch(Struct, rename="pascal"):
    records: list[Raw]


class _Invocation(Struct):
    """What Lambda writes of a call that failed for good; `payload` is what it was called with."""

    reader: _Reader = field(name="requestContext")
    batch: _BatchInfo = field(name="DDBStreamBatchInfo")
    timestamp: datetime
    payload: Raw

    @property
    def records(self) -> list[Raw]:
        """Each record as it was written. The payload is JSON within a text, or the JSON itself."""
        payload = msgspec.json.decode(self.payload)
        return msgspec.json.decode(payload if isinstance(payload, str) else self.payload, type=_Batch).records


def _keys_in(body: str) -> list[str] | None:
    """The keys of the new objects; none in the message by which S3 tries out whether it may send any."""
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    match content:
        case {"Event": "s3:TestEvent"}:
            return []
        case {"Records": [{"eventSource": "aws:s3"}, *_] as records}:
            keys = [key for record in records if (key := _key_in(record))]
            return keys if len(keys) == len(records) else None
    return None


def _key_in(record: object) -> str | None:
    match record:
        case {"s3": {"object": {"key": str(key)}}}:
            return unquote_plus(key)
    return None


def _letter(body: bytes, invocation: _Invocation, ahead: timedelta) -> Letter:
    """The batch was retried and split until it held what failed: so each record may go back by itself.

    Two readers of a stream may give up the same record, so the letter's id names the reader too.
    """
    record, reader = msgspec.json.decode(body), invocation.reader
    keys = record["dynamodb"]["Keys"]
    row = reward_id(keys) if keys["Item"]["S"].startswith("REWARD#") else None
    name = name_in(reader.function_arn)
    return Letter(
        id=f"{record['eventID']}-{name}",
        kind="exhausted",
        step=name,
        source=reader.function_arn,
        body=body.decode(),
        attempts=reader.approximate_invoke_count,
        error=reader.condition,
        first_failed_at=invocation.batch.approximate_arrival_of_first_record + ahead,
        failed_at=invocation.timestamp + ahead,
        service_version=__version__,
        shop_id=row.shop_id if row else None,
        order_group=row.order_group if row else None,
        promotion_id=row.promotion_id if row else None,
    )
