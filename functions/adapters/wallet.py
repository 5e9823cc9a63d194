"""The built-in provider of points: a ledger of entries by idempotency key, and a balance that is always their sum.

    Member   <shop>#<member>
    Item     ENTRY#<key>    Points: what it changed, negative when collected; a reclaim's Asked and GrantKey
             BALANCE        Points: the sum of the entries

An entry and its balance are written in one transaction, and an entry is never written over: so a key counts once, and
its first answer is what every repeat reads.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from adapters.conflicts import conflicts_retried
from adapters.items import Item, attribute, plain
from rewards.identifiers import join, split
from rewards.ledger import Contended
from rewards.provider import Answer, Done, Member, Unknown

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BALANCE = "BALANCE"
ENTRY = "ENTRY#"
ENTRY_VERSION = 1
RECLAIM_TRIES = 5


class Entry(NamedTuple):
    """What a key did: `points` collected are negative, `asked` is what was to be given or collected."""

    key: str
    points: int
    asked: int


class Account(NamedTuple):
    """What a member holds, and why."""

    member: Member
    balance: int
    entries: list[Entry]


class DynamoWallet:
    """The port `rewards.provider.PointsProvider` over one table, and the reading of its books."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def grant(self, key: str, member: Member, points: int, reason: str) -> Answer:
        return _answer(lambda: self._grant(_entry(key, member, points, Reason=reason)))

    def reclaim(self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool) -> Answer:
        return _answer(lambda: self._reclaim(key, grant_key, member, points, allow_debt))

    def account(self, member: Member) -> Account:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#Member = :member",
            ExpressionAttributeNames={"#Member": "Member"},
            ExpressionAttributeValues={":member": {"S": _account_key(member)}},
            ConsistentRead=True,
        )
        found = _accounts(item for page in pages for item in page["Items"])
        return found[0] if found else Account(member, 0, [])

    def accounts(self) -> list[Account]:
        """Every account; while points move, an account read half before and half after does not add up."""
        pages = self._client.get_paginator("scan").paginate(TableName=self._table, ConsistentRead=True)
        return _accounts(item for page in pages for item in page["Items"])

    def _grant(self, entry: Item) -> int:
        points = self._booked(entry)
        assert points is not None  # noqa: S101 - only a condition on the balance answers None
        return points

    def _reclaim(self, key: str, grant_key: str, member: Member, points: int, allow_debt: bool) -> int:
        """Points collected. How many there are to collect is read first, and must still be so when they are taken."""
        for _ in range(RECLAIM_TRIES):
            balance = None if allow_debt else self._balance(member)
            collected = points if balance is None else max(0, min(points, balance))
            entry = _entry(key, member, -collected, Asked=points, GrantKey=grant_key)
            booked = self._booked(entry, while_balance=balance)
            if booked is not None:
                return -booked
        raise Contended(member)

    def _balance(self, member: Member) -> int:
        key = {"Member": {"S": _account_key(member)}, "Item": {"S": BALANCE}}
        found = self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        return int(found["Item"]["Points"]["N"]) if "Item" in found else 0

    def _booked(self, entry: Item, *, while_balance: int | None = None) -> int | None:
        """Points of the entry that stands under this key, or None where the balance is no longer the given one."""
        write = [{"Put": self._put(entry)}, {"Update": self._change_balance(entry, while_balance)}]
        try:
            conflicts_retried(lambda: self._client.transact_write_items(TransactItems=write))
        except self._client.exceptions.TransactionCanceledException as cancelled:
            of_entry, of_balance = cancelled.response["CancellationReasons"]
            if of_entry["Code"] == "ConditionalCheckFailed":
                return int(of_entry["Item"]["Points"]["N"])
            if of_balance["Code"] == "ConditionalCheckFailed":
                return None
            raise
        return int(entry["Points"]["N"])
