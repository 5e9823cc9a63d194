"""The ledger in DynamoDB."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from adapters.batches import STATEMENTS_MOST, batches, is_invalid, name_of, read_items, statement
from adapters.conflicts import CONFLICT, conflicts_retried
from adapters.items import (
    Item,
    attribute,
    difference,
    order_item,
    order_key,
    order_of,
    reward_difference,
    reward_item,
    reward_key,
    reward_of,
    update,
)
from adapters.quota import DynamoQuota
from rewards.identifiers import join
from rewards.ledger import TAKES_NO_PLACE
from rewards.order import Order, OrderId
from rewards.promotion import Promotion
from rewards.quota import Limits, Used
from rewards.reward import Reward, RewardId

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


Id = TypeVar("Id", OrderId, RewardId)
Row = TypeVar("Row", Order, Reward)


class NotRead(Exception):
    """An item that the table did not tell, after it was asked again."""


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

    def each_order(self, ids: Sequence[OrderId]) -> list[Order | Exception | None]:
        if len(set(ids)) == 1:
            return [self.order(ids[0])] * len(ids)
        return self._each(ids, order_key, order_of)

    def each_reward(self, ids: Sequence[RewardId]) -> list[Reward | Exception | None]:
        if len(ids) == 1:
            return [self.reward(ids[0])]
        return self._each(ids, reward_key, reward_of)

    def write_each(self, changes: Sequence[tuple[Reward, Reward]]) -> list[bool | Exception]:
        """In statements, many to a call; one that gives a place back, alone in its transaction."""
        simple = [change for change in changes if not self._quota.writes(*change, TAKES_NO_PLACE)]
        told: dict[RewardId, bool | Exception] = {}
        for batch in batches(simple, STATEMENTS_MOST):
            told |= self._written_together(batch) if len(batch) > 1 else {}
        left = [change for change in changes if change[1].id not in told]
        told |= {after.id: _tried(self.write_reward, before, after) for before, after in left}
        return [told[after.id] for _, after in changes]

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

    def _each(self, ids: Sequence[Id], key_of: Callable[[Id], Item], row_of: Callable[[Item], Row]) -> list[Any]:
        """The row of each id, None where there is none, or why it cannot be told."""
        names = {id: name_of(key_of(id)) for id in ids}
        found = read_items(self._client, self._table, names.values())
        missing = NotRead(f"of {len(names)} items asked for {len(names) - len(found)} were left out")
        items = [found.get(names[id], missing) for id in ids]
        return [_tried(row_of, item) if isinstance(item, dict) else item for item in items]

    def _written_together(self, changes: Sequence[tuple[Reward, Reward]]) -> dict[RewardId, bool | Exception]:
        """What came of each change; one that is missing has to be made alone.

        When nobody answers, or the table takes no more, asking 25 times would only make the wait longer: all have
        failed, and come back. In a call that is found invalid it is one of them that is, and each is made alone.
        """
        statements: Any = [
            statement(self._table, reward_key(after.id), reward_difference(before, after), attribute(before.version))
            for before, after in changes
        ]
        try:
            answers = self._client.batch_execute_statement(Statements=statements)["Responses"]
        except Exception as error:
            return {} if is_invalid(error) else dict.fromkeys((after.id for _, after in changes), error)
        told = {after.id: _is_done(answer, after) for (_, after), answer in zip(changes, answers, strict=True)}
        return {id: is_done for id, is_done in told.items() if is_done is not None}

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


def _is_done(answer: Any, after: Reward) -> bool | None:
    """What became of a statement: done, lost to another write, or neither, as when it was throttled.

    A condition that failed without the item that failed it, which DynamoDB's reference promises here and some have not
    seen, could be our own write of an earlier try: made alone it says so.
    """
    error = answer.get("Error")
    if error is None:
        return True
    if error["Code"] != "ConditionalCheckFailed" or "Item" not in error:
        return None
    return bool(_tried(reward_of, error["Item"]) == after)


def _tried(call: Callable[..., Any], *args: Any) -> Any:
    """What it answers or, as an answer too, what it raises."""
    try:
        return call(*args)
    except Exception as error:
        return error


def _order_write(before: Order | None, after: Order) -> dict[str, Any]:
    if before is None:
        return _put(order_item(after))
    change = difference(order_item(before), order_item(after))
    return {"Key": order_key(after.id)} | update(change, attribute(before.version))


def _reward_write(before: Reward | None, after: Reward) -> dict[str, Any]:
    if before is None:
        return _put(reward_item(after))
    change = reward_difference(before, after)
    return {"Key": reward_key(after.id)} | update(change, attribute(before.version))


def _put(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "Item": item,
        "ConditionExpression": "attribute_not_exists(#Order)",
        "ExpressionAttributeNames": {"#Order": "Order"},
    }
