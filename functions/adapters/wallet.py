"""The built-in provider of points: a ledger of entries by idempotency key, and a balance that is always their sum.

    Member   <shop>#<member>
    Item     ENTRY#<key>   what was asked under this key, and the Points it changed: negative when collected
             BALANCE       the Points of all entries together

An entry and its balance are written in one transaction, and an entry is never written over: so a key counts once, and
its first answer is what every repeat is told.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from adapters.conflicts import conflicts_retried
from adapters.items import Item, attribute
from rewards.identifiers import join, split
from rewards.provider import Done, Member, Unknown

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BALANCE = "BALANCE"
ENTRY = "ENTRY#"
ITEM_VERSION = 1
RECLAIM_TRIES = 5


class Entry(NamedTuple):
    """What was asked under a key, and the points it changed: negative when they were collected."""

    key: str
    asked: int
    points: int


class Account(NamedTuple):
    """What a member holds, and why."""

    member: Member
    balance: int
    entries: list[Entry]


class BalanceMovedError(Exception):
    """The balance is not what it was when the points to collect were counted."""


class DynamoWallet:
    """The port `rewards.provider.PointsProvider` over one table, and a reader of its books."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def grant(self, key: str, member: Member, points: int, reason: str) -> Done | Unknown:
        entry = _entry(member, key, Asked=points, Points=points, Reason=reason)
        return _answer(lambda: self._booked(entry))

    def reclaim(self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool) -> Done | Unknown:
        if allow_debt:
            entry = _entry(member, key, Asked=points, Points=-points, GrantKey=grant_key)
            return _answer(lambda: -self._booked(entry))
        return _answer(lambda: self._collected(key, grant_key, member, points))

    def balance(self, member: Member) -> int:
        key = {"Member": {"S": join(member.shop_id, member.member_id)}, "Item": {"S": BALANCE}}
        found = self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        return int(found["Item"]["Points"]["N"]) if "Item" in found else 0

    def account(self, member: Member) -> Account:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#Member = :member",
            ExpressionAttributeNames={"#Member": "Member"},
            ExpressionAttributeValues={":member": {"S": join(member.shop_id, member.member_id)}},
            ConsistentRead=True,
        )
        found = _accounts(item for page in pages for item in page["Items"])
        return found[0] if found else Account(member, 0, [])

    def accounts(self) -> list[Account]:
        """Every account. Only while no points move does each one add up."""
        pages = self._client.get_paginator("scan").paginate(TableName=self._table, ConsistentRead=True)
        return _accounts(item for page in pages for item in page["Items"])

    def _collected(self, key: str, grant_key: str, member: Member, points: int) -> int:
        """Collect what there is, up to `points`: counted first, and taken only if the balance is still the same."""
        for _ in range(RECLAIM_TRIES):
            balance = self.balance(member)
            entry = _entry(member, key, Asked=points, Points=-max(0, min(points, balance)), GrantKey=grant_key)
            try:
                return -self._booked(entry, while_balance=balance)
            except BalanceMovedError:
                continue
        raise BalanceMovedError(member)

    def _booked(self, entry: Item, while_balance: int | None = None) -> int:
        """Points of the entry that stands under this key: of this one, or of the one that was there first.

        Raises BalanceMovedError if the balance is no longer what it is to be, where that matters.
        """
        writes: Any = [
            {"Put": {"TableName": self._table, **_put(entry)}},
            {"Update": {"TableName": self._table, **_change_of_balance(entry, while_balance)}},
        ]
        try:
            conflicts_retried(lambda: self._client.transact_write_items(TransactItems=writes))
        except self._client.exceptions.TransactionCanceledException as cancelled:
            of_entry, of_balance = map(dict[str, Any], cancelled.response["CancellationReasons"])
            if of_entry["Code"] == "ConditionalCheckFailed":
                return int(of_entry["Item"]["Points"]["N"])
            if of_balance["Code"] == "ConditionalCheckFailed":
                raise BalanceMovedError from None
            raise
        return int(entry["Points"]["N"])


def _answer(points: Callable[[], int]) -> Done | Unknown:
    """What came of it. Whatever went wrong, the entry tells the next one who asks whether it was done."""
    try:
        return Done(points())
    except (BotoCoreError, ClientError, BalanceMovedError) as error:
        return Unknown(f"{type(error).__name__}: {error}")


def _entry(member: Member, key: str, **fields: int | str) -> Item:
    return {
        "Member": {"S": join(member.shop_id, member.member_id)},
        "Item": {"S": ENTRY + key},
        **{name: attribute(value) for name, value in fields.items()},
        "v": attribute(ITEM_VERSION),
    }


def _put(entry: Item) -> dict[str, Any]:
    return {
        "Item": entry,
        "ConditionExpression": "attribute_not_exists(#Member)",
        "ExpressionAttributeNames": {"#Member": "Member"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def _change_of_balance(entry: Item, while_balance: int | None) -> dict[str, Any]:
    """A balance that nothing was booked on yet has no item and stands at 0."""
    update = {
        "Key": {"Member": entry["Member"], "Item": {"S": BALANCE}},
        "UpdateExpression": "ADD #Points :points SET #v = :v",
        "ExpressionAttributeNames": {"#Points": "Points", "#v": "v"},
    }
    values = {":points": entry["Points"], ":v": attribute(ITEM_VERSION)}
    if while_balance is None:
        return update | {"ExpressionAttributeValues": values}
    return update | {
        "ConditionExpression": "#Points = :read OR attribute_not_exists(#Points)",
        "ExpressionAttributeValues": values | {":read": attribute(while_balance)},
    }


def _accounts(items: Iterable[Mapping[str, Any]]) -> list[Account]:
    balances: dict[str, int] = {}
    entries: dict[str, list[Entry]] = defaultdict(list)
    for item in items:
        account, name, points = item["Member"]["S"], item["Item"]["S"], int(item["Points"]["N"])
        if name == BALANCE:
            balances[account] = points
        else:
            entries[account].append(Entry(name.removeprefix(ENTRY), int(item["Asked"]["N"]), points))
    return [Account(Member(*split(account)), balance, entries[account]) for account, balance in balances.items()]
