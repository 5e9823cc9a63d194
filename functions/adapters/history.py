"""History items in the ledger's table, beside the rewards they tell of."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from adapters.items import history_item, history_of
from rewards.history import HistoryItem
from rewards.identifiers import join
from rewards.order import OrderId

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH_ITEMS = 25
TRIES = 3


class NotWrittenError(Exception):
    """Items the table did not take, after they were tried again."""


class DynamoHistory:
    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def write(self, items: Iterable[HistoryItem]) -> None:
        """Write them all; what is there already is written over by its equal. Raises NotWrittenError."""
        puts = [{"PutRequest": {"Item": history_item(item)}} for item in items]
        for start in range(0, len(puts), BATCH_ITEMS):
            self._write_batch(puts[start : start + BATCH_ITEMS])

    def of_order(self, id: OrderId) -> list[HistoryItem]:
        """All that happened to an order's rewards: by promotion, and in the order it happened."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#Order = :order AND begins_with(#Item, :history)",
            ExpressionAttributeNames={"#Order": "Order", "#Item": "Item"},
            ExpressionAttributeValues={":order": {"S": join(*id)}, ":history": {"S": "HISTORY#"}},
            ConsistentRead=True,
        )
        return [history_of(item) for page in pages for item in page["Items"]]

    def _write_batch(self, puts: list[Any]) -> None:
        """The call may answer well and still have left some out: those are sent again."""
        left = {self._table: puts}
        for _ in range(TRIES):
            left = self._client.batch_write_item(RequestItems=left)["UnprocessedItems"]
            if not left:
                return
        raise NotWrittenError(f"{len(left[self._table])} history items")
