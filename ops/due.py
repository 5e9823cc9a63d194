"""What stands in the due index, and the rewards it stands for."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from adapters.due_index import INDEX
from adapters.items import reward_id, reward_key, reward_of
from ops.stack import Stack
from rewards.due import parse
from rewards.reward import Reward, RewardId

ITEMS_AT_ONCE = 100


def due_by(stack: Stack, at: datetime) -> list[RewardId]:
    """The rewards whose slot has come by `at`. The index holds only what is still to do, so it is read whole."""
    last = f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"  # without its Z it sorts after the slot of its own minute
    pages = stack.dynamodb.get_paginator("scan").paginate(TableName=stack["LedgerTableName"], IndexName=INDEX)
    rows = (item for page in pages for item in page["Items"])
    return [reward_id(row) for row in rows if parse(row["BookingTimeUTC"]["S"]).slot.removesuffix("Z") <= last]


def rewards_now(stack: Stack, ids: Collection[RewardId]) -> dict[RewardId, Reward]:
    """These rewards as they stand."""
    table = stack["LedgerTableName"]
    keys: list[Any] = list(map(reward_key, ids))
    found: dict[RewardId, Reward] = {}
    while keys:
        wanted, keys = keys[:ITEMS_AT_ONCE], keys[ITEMS_AT_ONCE:]
        answer = stack.dynamodb.batch_get_item(RequestItems={table: {"Keys": wanted, "ConsistentRead": True}})
        if table in answer["UnprocessedKeys"]:
            keys += answer["UnprocessedKeys"][table]["Keys"]
        for reward in map(reward_of, answer["Responses"][table]):
            found[reward.id] = reward
    return found
