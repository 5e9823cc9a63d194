"""The breakers of the providers, each an item `BREAKER#<provider>` of the control table."""

from typing import TYPE_CHECKING, Any

import msgspec

from adapters.items import attribute, plain
from rewards.breaker import Breaker, Provider

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoBreakers:
    """The port `rewards.breaker.Breakers` over one table. Reads are strongly consistent.

    A write whose reply is lost counts as lost, though it was done: that costs the workers one probe.
    """

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def breaker(self, provider: Provider) -> Breaker:
        found = self._client.get_item(TableName=self._table, Key=_key(provider), ConsistentRead=True)
        fields = {name: plain(value) for name, value in found.get("Item", {}).items()}
        return msgspec.convert(fields, Breaker)

    def write_breaker(self, provider: Provider, before: Breaker, after: Breaker) -> bool:
        fields: dict[str, Any] = msgspec.to_builtins(after) | {"v": 1}
        try:
            self._client.put_item(
                TableName=self._table,
                Item=_key(provider) | {name: attribute(value) for name, value in fields.items()},
                ConditionExpression="attribute_not_exists(#Version) OR #Version = :read",
                ExpressionAttributeNames={"#Version": "Version"},
                ExpressionAttributeValues={":read": attribute(before.version)},
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True


def _key(provider: Provider) -> dict[str, Any]:
    return {"Item": {"S": f"BREAKER#{provider}"}}
