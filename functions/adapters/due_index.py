"""The due index of the ledger table: thin rows, in the order they are to be worked in."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from adapters.items import reward_key
from rewards import due
from rewards.packing import FoundRow
from rewards.tasks import ShardWindow

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

INDEX = "BookingDateUTC-BookingTimeUTC-index"


class DynamoDueIndex:
    """The port `rewards.packing.DueIndex` over the index of one table."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def rows(self, window: ShardWindow) -> Iterator[FoundRow]:
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
        for page in self._pages(query):
            for item in page["Items"]:
                yield FoundRow(item["BookingTimeUTC"]["S"], _reward_type(item))

    def _pages(self, query: dict[str, Any]) -> Iterator[Any]:
        """An empty page is not the last one; the one without a key to go on from is."""
        while True:
            page = self._client.query(**query)
            yield page
            if "LastEvaluatedKey" not in page:
                return
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _position(partition: str, sort: str) -> dict[str, Any]:
    """The key after which reading goes on: the index's and the table's; the row itself may be gone by now."""
    return {"BookingDateUTC": {"S": partition}, "BookingTimeUTC": {"S": sort}, **reward_key(due.parse(sort).id)}


def _reward_type(item: dict[str, Any]) -> str:
    """Rows leave out what is a field's default, and points are."""
    return str(item["RewardType"]["S"]) if "RewardType" in item else "LoyaltyPoints"
