"""The ledger in DynamoDB."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adapters.conflicts import conflicts_retried
from adapters.items import order_item, order_key, order_of, reward_item, reward_key, reward_of, update
from rewards.identifiers import join
from rewards.order import Order, OrderId
from rewards.reward import Reward, RewardId

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoLedger:
    """The port `rewards.ledger.Ledger` over one table.

    A condition that fails on the very row that was to be written is a lost reply: the write was done, by this call
    or by an equal one, and is answered as done.
    """

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def order(self, id: OrderId) -> Order | None:
        found = self._client.get_item(TableName=self._table, Key=order_key(id), ConsistentRead=True)
        return order_of(found["Item"]) if "Item" in found else None

    def reward(self, id: RewardId) -> Reward | None:
        found = self._client.get_item(TableName=self._table, Key=reward_key(id), ConsistentRead=True)
        return reward_of(found["Item"]) if "Item" in found else None

    def rewards(self, id: OrderId) -> list[Reward]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#Order = :order AND begins_with(#Item, :reward)",
            ExpressionAttributeNames={"#Order": "Order", "#Item": "Item"},
            ExpressionAttributeValues={":order": {"S": join(*id)}, ":reward": {"S": "REWARD#"}},
            ConsistentRead=True,
        )
        return [reward_of(item) for page in pages for item in page["Items"]]

    def write_order(self, before: Order | None, after: Order) -> bool:
        return self._write(_order_write(before, after), lambda item: order_of(item) == after)

    def write_reward(self, before: Reward, after: Reward) -> bool:
        return self._write(_reward_write(before, after), lambda item: reward_of(item) == after)

    def decide(self, before: Order | None, after: Order, rewards: list[tuple[Reward | None, Reward]]) -> bool:
        writes = [_order_write(before, after), *(_reward_write(old, new) for old, new in rewards)]
        actions = [self._action(write) for write in writes]
        try:
            conflicts_retried(lambda: self._client.transact_write_items(TransactItems=actions))
        except self._client.exceptions.TransactionCanceledException as cancelled:
            reasons = cancelled.response["CancellationReasons"]
            if not any(reason.get("Code") == "ConditionalCheckFailed" for reason in reasons):
                raise
            found = reasons[0].get("Item")
            return found is not None and order_of(found) == after
        return True

    def _write(self, write: dict[str, Any], is_done: Callable[[Any], bool]) -> bool:
        call = self._client.update_item if "Key" in write else self._client.put_item
        arguments = {"TableName": self._table, "ReturnValuesOnConditionCheckFailure": "ALL_OLD", **write}
        try:
            conflicts_retried(lambda: call(**arguments))
        except self._client.exceptions.ConditionalCheckFailedException as failed:
            found = failed.response.get("Item")
            return bool(found) and is_done(found)
        return True

    def _action(self, write: dict[str, Any]) -> Any:
        kind = "Update" if "Key" in write else "Put"
        return {kind: {"TableName": self._table, "ReturnValuesOnConditionCheckFailure": "ALL_OLD", **write}}


def _order_write(before: Order | None, after: Order) -> dict[str, Any]:
    if before is None:
        return _put(order_item(after))
    return {"Key": order_key(after.id)} | update(order_item(before), order_item(after))


def _reward_write(before: Reward | None, after: Reward) -> dict[str, Any]:
    if before is None:
        return _put(reward_item(after))
    return {"Key": reward_key(after.id)} | update(reward_item(before), reward_item(after))


def _put(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "Item": item,
        "ConditionExpression": "attribute_not_exists(#Order)",
        "ExpressionAttributeNames": {"#Order": "Order"},
    }
