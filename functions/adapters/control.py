"""What the planner and the sweep remember, and the embedded cloud's clock: a few items in a table of their own.

Item             holds
CURSOR#<kind>    Value: the end of the last planned window, like 2026-12-01T17:00:00Z
OLDEST#<kind>    Value: the oldest UTC date not yet found empty, like 2026-12-01
CLOCK            OffsetSeconds: how far the embedded clock runs ahead

The breakers of the providers are in `adapters.breakers`.
"""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rewards.tasks import Kind

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoControl:
    """The port `rewards.control.Control`, and the clock, over one table. Reads are strongly consistent."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def cursor(self, kind: Kind) -> datetime | None:
        value = self._value(f"CURSOR#{kind}")
        return datetime.fromisoformat(value) if value else None

    def move_cursor(self, kind: Kind, to: datetime) -> None:
        self._move(f"CURSOR#{kind}", to.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z")

    def oldest(self, kind: Kind) -> date | None:
        value = self._value(f"OLDEST#{kind}")
        return date.fromisoformat(value) if value else None

    def move_oldest(self, kind: Kind, to: date) -> None:
        self._move(f"OLDEST#{kind}", to.isoformat())

    def clock_offset(self) -> timedelta:
        return timedelta(seconds=int(self._item("CLOCK").get("OffsetSeconds", {"N": "0"})["N"]))

    def _value(self, item: str) -> str | None:
        found = self._item(item)
        return found["Value"]["S"] if found else None

    def _item(self, item: str) -> dict[str, Any]:
        found = self._client.get_item(TableName=self._table, Key={"Item": {"S": item}}, ConsistentRead=True)
        return found.get("Item", {})

    def _move(self, item: str, to: str) -> None:
        """Only forward: both values are text of one width, so they sort as their times do."""
        with suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.put_item(
                TableName=self._table,
                Item={"Item": {"S": item}, "Value": {"S": to}, "v": {"N": "1"}},
                ConditionExpression="attribute_not_exists(#Value) OR #Value < :to",
                ExpressionAttributeNames={"#Value": "Value"},
                ExpressionAttributeValues={":to": {"S": to}},
            )
