"""Many items of a DynamoDB table in one call: read, or changed by statements of which each is conditional by itself."""

import random
import time
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from adapters.items import Difference, Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

READS_MOST = 100
STATEMENTS_MOST = 25
TRIES = 4
One = TypeVar("One")


Name = tuple[str, str]
"""What an item's key says: the order's, and the item's within the order."""


def read_items(client: "DynamoDBClient", table: str, names: Iterable[Name]) -> dict[Name, Item | Exception | None]:
    """The item of each name, or None where there is none; no two names the same. Strongly consistent.

    What DynamoDB leaves out for now, for want of throughput or of room in its answer, is asked for again; a name that
    it leaves out to the end is missing here. In a call that it finds invalid a single name is to blame, such as one
    that is too long for a key: each is asked for alone, and for that one the error is the answer.
    """
    told: dict[Name, Item | Exception | None] = {}
    for batch in batches(names, READS_MOST):
        try:
            told |= _read(client, table, batch)
        except ClientError as error:
            if not is_invalid(error):
                raise
            told |= {batch[0]: error} if len(batch) == 1 else _each_read(client, table, batch)
    return told


def _each_read(client: "DynamoDBClient", table: str, names: list[Name]) -> dict[Name, Item | Exception | None]:
    return {name: told for one in names for name, told in read_items(client, table, [one]).items()}


def _read(client: "DynamoDBClient", table: str, names: list[Name]) -> dict[Name, Item | None]:
    told: dict[Name, Item | None] = {}
    left: Any = [{"Order": {"S": order}, "Item": {"S": item}} for order, item in names]
    for attempt in range(TRIES):
        asked: Any = {table: {"Keys": left, "ConsistentRead": True}}
        answer: Any = client.batch_get_item(RequestItems=asked)
        told |= dict.fromkeys(map(name_of, left)) | {name_of(item): item for item in answer["Responses"][table]}
        left = answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])
        for key in left:
            del told[name_of(key)]
        if not left:
            break
        time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311 - jitter is no secret
    return told


def name_of(key: Item) -> Name:
    """Of an item, or of its key."""
    return key["Order"]["S"], key["Item"]["S"]


def statement(table: str, key: Item, change: Difference, read: Item) -> dict[str, Any]:
    """The change of one item, if it has the version that was `read`; where there is no item, none comes to be.

    Where the condition fails the answer has the item as it stands.
    """
    return {
        "Statement": _update(table, tuple(change.sets), tuple(change.removes), tuple(key)),
        "Parameters": [*change.sets.values(), *key.values(), read],
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def batches(many: Iterable[One], most: int) -> Iterator[list[One]]:
    rest = iter(many)
    while batch := list(islice(rest, most)):
        yield batch


def is_invalid(error: Exception) -> bool:
    """Whether the call as a whole was found wrong: nothing of it was done, and one of what it held is to blame."""
    return isinstance(error, ClientError) and error.response["Error"]["Code"] == "ValidationException"


@cache
def _update(table: str, sets: tuple[str, ...], removes: tuple[str, ...], key: tuple[str, ...]) -> str:
    changes = [*(f'SET "{name}"=?' for name in sets), *(f'REMOVE "{name}"' for name in removes)]
    where = " AND ".join(f'"{name}"=?' for name in (*key, "Version"))
    return f'UPDATE "{table}" {" ".join(changes)} WHERE {where}'
