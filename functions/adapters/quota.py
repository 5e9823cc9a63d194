"""How many places of the quotas are taken: counts in a table of their own.

Counted                              Used
<shop>#<promotion>#SHARD#<number>    places taken from this shard's share of the total
<shop>#<promotion>#MEMBER#<member>   places this member has

Each count is a partition of its own: one takes 1,000 write units a second, and a rush needs more. A count that nobody
took from yet is absent.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rewards.identifiers import join
from rewards.promotion import Promotion
from rewards.quota import SHARDS, Limits, Used
from rewards.reward import Place, Reward

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoQuota:
    """Reads the counts, and says which writes a reward's change brings with it."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def used(self, promotion: Promotion, member_id: str | None = None) -> Used:
        """What is taken now of all that the promotion limits; of one member only if one is named."""
        id, quota = (promotion.shop_id, promotion.promotion_id), promotion.quota
        shards = [join(*id, "SHARD", str(shard)) for shard in range(SHARDS)] if quota and quota.total else []
        member = [join(*id, "MEMBER", member_id)] if quota and quota.per_member and member_id else []
        counts = self._counts([*shards, *member])
        return Used(tuple(counts.get(key, 0) for key in shards), sum(counts.get(key, 0) for key in member))

    def writes(self, before: Reward | None, after: Reward, limits: Mapping[str, Limits]) -> list[Any]:
        """The part of a transaction that keeps the counts in step with the row: its place is taken, or given back.

        Raises KeyError for a place that is taken without the limits of its promotion.
        """
        if before and before.place:
            given_back = [] if after.place else _counts_of(before, Limits())
            return [self._change(key, -1) for key, _ in given_back]
        taken = _counts_of(after, limits[after.id.promotion_id]) if after.place else []
        return [self._change(key, 1, below=limit) for key, limit in taken]

    def _counts(self, keys: list[str]) -> dict[str, int]:
        counts: dict[str, int] = {}
        request: Any = {self._table: {"Keys": [{"Counted": {"S": key}} for key in keys], "ConsistentRead": True}}
        while keys and request:
            answer = self._client.batch_get_item(RequestItems=request)
            counts |= {item["Counted"]["S"]: int(item["Used"]["N"]) for item in answer["Responses"][self._table]}
            request = answer.get("UnprocessedKeys")
        return counts

    def _change(self, key: str, by: int, below: int | None = None) -> dict[str, Any]:
        """Unlike a place taken, one given back asks for nothing: it goes with a row's own change, so only once."""
        update: dict[str, Any] = {
            "TableName": self._table,
            "Key": {"Counted": {"S": key}},
            "UpdateExpression": "ADD #Used :by",
            "ExpressionAttributeNames": {"#Used": "Used"},
            "ExpressionAttributeValues": {":by": {"N": str(by)}},
        }
        if below is not None:
            update["ConditionExpression"] = "attribute_not_exists(#Used) OR #Used < :below"
            update["ExpressionAttributeValues"] |= {":below": {"N": str(below)}}
        return {"Update": update}


def count_keys(row: Reward) -> list[str]:
    """The keys of the counts that the row's place is in."""
    return [key for key, _ in _counts_of(row, Limits())]


def _counts_of(row: Reward, limits: Limits) -> list[tuple[str, int | None]]:
    """The keys of the counts that the row's place is in, and how far each may go."""
    id, place = (row.id.shop_id, row.id.promotion_id), row.place or Place()
    shard = [(join(*id, "SHARD", str(place.shard)), limits.shard)] if place.shard is not None else []
    member = [(join(*id, "MEMBER", row.member_id), limits.member)] if place.of_member else []
    return shard + member
