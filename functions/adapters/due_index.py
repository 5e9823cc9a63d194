"""The due index of the ledger table: thin rows, in the order they are to be worked in."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from adapters.bodies import read_as
from adapters.items import reward_key
from rewards import due
from rewards.packing import FoundRow
from rewards.tasks import ShardWindow

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "BookingDateUTC-BookingTimeUTC-index"

ROWS_AT_ONCE = 500
"""Few enough that they are still in the processor's cache when they are packed; a page has thousands."""


class _Text(Struct, gc=False):
    """An attribute that is text, or none where it is something else."""

    S: str = ""


class _Row(Struct, gc=False):
    """What is looked at of a row. Rows leave out what is a field's default, and points are."""

    sort: _Text = field(name="BookingTimeUTC")
    reward_type: _Text = field(name="RewardType", default_factory=lambda: _Text("LoyaltyPoints"))


class Page(Struct):
    Items: list[_Row]
    LastEvaluatedKey: dict[str, Any] | None = None


class DynamoDueIndex:
    """The port `rewards.packing.DueIndex` over the index of one table.

    The client is its own: a page of some thousand rows is read straight into what is looked at of them.
    """

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        read_as(client, "Query", Page)
        self._client = client
        self._table = table

    def parts(self, window: ShardWindow) -> Iterator[list[FoundRow]]:
        partition = due.partition(window.kind, window.date, window.shard)
        query: dict[str, Any] = {
            "TableName": self._table,
            "IndexName": INDEX,
            "KeyConditionExpression": "#BookingDateUTC = :partition AND #BookingTimeUTC BETWEEN :start AND :end",
            "ExpressionAttributeNames": {"#BookingDateUTC": "BookingDateUTC", "#BookingTimeUTC": "BookingTimeUTC"},
            "ExpressionAttributeValues": {
                ":partition": {"S": partition},
                ":start": {"S": window.start},
                ":end": {"S": window.end},
            },
        }
        if window.after:
            query["ExclusiveStartKey"] = _position(partition, window.after)
        while True:
            page: dict[str, Any] = self._client.query(**query)  # type: ignore[assignment]
            found: list[_Row] = page["Items"]
            for start in range(0, len(found), ROWS_AT_ONCE):
                yield [FoundRow(row.sort.S, row.reward_type.S) for row in found[start : start + ROWS_AT_ONCE]]
            if not page["LastEvaluatedKey"]:  # what tells the last page: one without rows may have others after it
                return
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _position(partition: str, sort: str) -> dict[str, Any]:
    """The key after which reading goes on: the index's and the table's; the row itself may be gone by now."""
    return {"BookingDateUTC": {"S": partition}, "BookingTimeUTC": {"S": sort}, **reward_key(due.parse(sort).id)}
