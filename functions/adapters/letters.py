"""Dead letters in AWS: the queue that steps send them by, and where they are kept for good.

    Day       <UTC date>
    Letter    <when it first failed>#<id>
    OpenKind  <kind>, until it is redriven: the key of the sparse `open-index`, sorted by `Letter` too

A redrive claims a letter before it sends anything, as a worker does with a row: `ClaimedUntil` keeps others away, and
that it is over means only that whoever had it died, perhaps after sending.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import TYPE_CHECKING, Any

import msgspec

from adapters.items import Item
from rewards.filing import Filed, Selection, moment, sort_key
from rewards.letters import FailureKind, Letter

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

TEXT_LENGTH = 300
"""Of anything in an item, which must stay thin; the letter has the whole of it."""

OPEN_INDEX = "open-index"


class SqsLetters:
    """The queue of letters, which `park` drains."""

    def __init__(self, client: "SQSClient", queue: str) -> None:
        self._client = client
        self._queue = queue

    def send(self, letter: Letter) -> None:
        self._client.send_message(QueueUrl=self._queue, MessageBody=msgspec.json.encode(letter).decode())


class KeptLetters:
    """The port `rewards.filing.LetterFile`: letters whole in a bucket, and in a table a thin item of each."""

    def __init__(self, s3: "S3Client", bucket: str, dynamodb: "DynamoDBClient", table: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._dynamodb = dynamodb
        self._table = table

    def keep(self, letter: Letter) -> None:
        """The object comes first, so no item points nowhere; an item that is there may say more than a new one."""
        self._s3.put_object(
            Bucket=self._bucket,
            Key=_object_key(letter.name),
            Body=msgspec.json.encode(letter),
            ContentType="application/json",
        )
        try:
            self._dynamodb.put_item(
                TableName=self._table, Item=_item(letter), ConditionExpression="attribute_not_exists(Letter)"
            )
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return

    def whole(self, name: str) -> Letter:
        try:
            body = self._s3.get_object(Bucket=self._bucket, Key=_object_key(name))["Body"].read()
        except self._s3.exceptions.NoSuchKey:
            raise LookupError(f"no letter {name}") from None
        return msgspec.json.decode(body, type=Letter)

    def filed(self, letter: Letter) -> Filed:
        found = self._dynamodb.get_item(TableName=self._table, Key=_key(letter), ConsistentRead=True)
        if "Item" not in found:
            raise LookupError(f"letter {letter.name} is in no table")
        return _filed(found["Item"])

    def open(self, selection: Selection, *, after: str | None = None) -> Iterator[Filed]:
        """Every kind is read page by page, as far as it is asked for."""
        since = max(moment(selection.since), after or "")
        found = (self._open_of_kind(kind, since, moment(selection.until)) for kind in selection.kinds)
        letters = merge(*found, key=lambda letter: letter.sort)
        return (letter for letter in letters if letter.sort != after and selection.holds(letter))

    def of_day(self, day: str) -> Iterator[Filed]:
        condition = {"KeyConditionExpression": "#Day = :day", "ExpressionAttributeNames": {"#Day": "Day"}}
        return self._queried({**condition, "ExpressionAttributeValues": {":day": {"S": day}}, "ConsistentRead": True})

    def claim(self, letter: Letter, *, now: datetime, until: datetime) -> bool:
        try:
            self._update(
                letter,
                "SET ClaimedUntil = :until",
                {":until": moment(until), ":now": moment(now)},
                "attribute_exists(OpenKind) AND (attribute_not_exists(ClaimedUntil) OR ClaimedUntil <= :now)",
            )
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def let_go(self, letter: Letter) -> None:
        self._update(letter, "REMOVE ClaimedUntil", {}, "attribute_exists(Letter)")

    def close(self, letter: Letter, *, by: str, at: datetime) -> None:
        self._update(
            letter,
            "SET RedrivenAt = :at, RedrivenBy = :by REMOVE ClaimedUntil, OpenKind",
            {":at": moment(at), ":by": by},
            "attribute_exists(Letter)",
        )

    def _open_of_kind(self, kind: FailureKind, since: str, until: str) -> Iterator[Filed]:
        return self._queried({
            "IndexName": OPEN_INDEX,
            "KeyConditionExpression": "OpenKind = :kind AND Letter BETWEEN :since AND :until",
            "ExpressionAttributeValues": {":kind": {"S": kind}, ":since": {"S": since}, ":until": {"S": until}},
        })  # fmt: skip

    def _queried(self, condition: dict[str, Any]) -> Iterator[Filed]:
        pages = self._dynamodb.get_paginator("query").paginate(TableName=self._table, **condition)
        return (_filed(item) for page in pages for item in page["Items"])

    def _update(self, letter: Letter, expression: str, values: dict[str, str], condition: str) -> None:
        """Never half an item where there is none."""
        told = {"ExpressionAttributeValues": {name: {"S": value} for name, value in values.items()}} if values else {}
        self._dynamodb.update_item(
            TableName=self._table,
            Key=_key(letter),
            UpdateExpression=expression,
            ConditionExpression=condition,
            **told,  # type: ignore[arg-type]  # the stubs know it by its full type only
        )


def _key(letter: Letter) -> Item:
    return {"Day": {"S": letter.day}, "Letter": {"S": sort_key(letter.first_failed_at, letter.id)}}


def _item(letter: Letter) -> Item:
    fields = {
        "OpenKind": letter.kind,
        "Kind": letter.kind,
        "Step": letter.step,
        "Shop": letter.shop_id,
        "Order": letter.order_group,
        "Promotion": letter.promotion_id,
        "Error": letter.error,
    }
    numbers = {"TimesRedriven": letter.times_redriven, "v": letter.v}
    return (
        _key(letter)
        | {"Key": {"S": _object_key(letter.name)}}
        | {name: {"S": value[:TEXT_LENGTH]} for name, value in fields.items() if value}
        | {name: {"N": str(number)} for name, number in numbers.items()}
    )


def _filed(item: Mapping[str, Any]) -> Filed:
    told: dict[str, str] = {name: value.get("S", "") for name, value in item.items()}
    first_failed_at, id = told["Letter"].split("#", 1)
    fields = {
        "name": f"{told['Day']}/{id}",
        "kind": told["Kind"],
        "step": told["Step"],
        "shop_id": told.get("Shop"),
        "order_group": told.get("Order"),
        "promotion_id": told.get("Promotion"),
        "error": told.get("Error"),
        "first_failed_at": first_failed_at,
        "times_redriven": int(item["TimesRedriven"]["N"]),
        "redriven_at": told.get("RedrivenAt"),
        "redriven_by": told.get("RedrivenBy"),
    }
    return msgspec.convert(fields, Filed)


def _object_key(name: str) -> str:
    return f"letters/{name}.json"
