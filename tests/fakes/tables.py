"""The stack's tables as moto or another DynamoDB makes them; the template's own are held to the same keys."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DUE_INDEX = "BookingDateUTC-BookingTimeUTC-index"
MEMBER_INDEX = "member-index"


def make_table(client: "DynamoDBClient", name: str, *keys: str, indexes: list[dict[str, Any]] | None = None) -> None:
    """A table of string keys: the partition's, then the sort key's if it has one."""
    index_keys = [key["AttributeName"] for index in indexes or [] for key in index["KeySchema"]]
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=_schema(*keys),  # type: ignore[arg-type]
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": "S"} for key in dict.fromkeys([*keys, *index_keys])
        ],
        **({"GlobalSecondaryIndexes": indexes} if indexes else {}),  # type: ignore[arg-type]
    )


def make_ledger_table(client: "DynamoDBClient", name: str) -> None:
    due = {
        "IndexName": DUE_INDEX,
        "KeySchema": _schema("BookingDateUTC", "BookingTimeUTC"),
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["RewardType", "Source"]},
    }
    member = {
        "IndexName": MEMBER_INDEX,
        "KeySchema": _schema("Member", "OrderTime"),
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    make_table(client, name, "Order", "Item", indexes=[due, member])


def make_letters_table(client: "DynamoDBClient", name: str) -> None:
    still_open = {
        "IndexName": "open-index",
        "KeySchema": _schema("OpenKind", "Letter"),
        "Projection": {"ProjectionType": "ALL"},
    }
    make_table(client, name, "Day", "Letter", indexes=[still_open])


def _schema(*keys: str) -> list[dict[str, str]]:
    return [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)]
