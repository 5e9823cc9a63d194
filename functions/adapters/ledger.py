"""The ledger in DynamoDB."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from adapters.conflicts import CONFLICT, conflicts_retried
from adapters.items import order_item, order_key, order_of, reward_item, reward_key, reward_of, update
from adapters.quota import DynamoQuota
from rewards.identifiers import join
from rewards.ledger import TAKES_NO_PLACE
from rewards.order import Order, OrderId
from rewards.promotion import Promotion
from rewards.quota import Limits, Used
from rewards.reward import Reward, RewardId

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoLedger:
    """The port `rewards.ledger.Ledger` over one table, and the counts of places beside it.

    A condition that fails on the very row that was to be written is a lost reply: the write was done, by this call
    or by an equal one, and is answered as done.
    """

    def __init__(self, client: "DynamoDBClient", table: str, quota: DynamoQuota) -> None:
        self._client = client
        self._table = table
        self._quota = quota

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

    def used(self, promotion: Promotion, member_id: str) -> Used:
        return self._quota.used(promotion, member_id)

    def write_order(self, before: Order | None, after: Order) -> bool:
        return self._write(_order_write(before, after), lambda item: order_of(item) == after)

    def write_reward(self, before: Reward, after: Reward) -> bool:
        write, counts = _reward_write(before, after), self._quota.writes(before, after, TAKES_NO_PLACE)
        if counts:
            return self._transact([self._action(write), *counts], lambda item: reward_of(item) == after)
        return self._write(write, lambda item: reward_of(item) == after)

    def decide(
        self,
        before: Order | None,
        after: Order,
        rewards: list[tuple[Reward | None, Reward]],
        limits: Mapping[str, Limits] = TAKES_NO_PLACE,
    ) -> bool:
        actions = [self._action(_order_write(before, after))]
        for old, new in rewards:
            actions += [self._action(_reward_write(old, new)), *self._quota.writes(old, new, limits)]
        return self._transact(actions, lambda item: order_of(item) == after)

    def _transact(self, actions: list[Any], is_done: Callable[[Any], bool]) -> bool:
        """All of it or nothing; the first action's item tells whether it was done before.

        A count that many take from at once may stay in conflict: deciding again finds another shard.
        """
        try:
            conflicts_retried(lambda: self._client.transact_write_items(TransactItems=actions))
        except self._client.exceptions.TransactionCanceledException as cancelled:
            reasons = cancelled.response["CancellationReasons"]
            if {reason.get("Code", "None") for reason in reasons} - {"None", "ConditionalCheckFailed", CONFLICT}:
                raise
            found: Any = reasons[0].get("Item")
            return bool(found) and is_done(found)
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
