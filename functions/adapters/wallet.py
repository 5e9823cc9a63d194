"""The built-in provider of points: entries by idempotency key. What a member holds is their sum, and is stored nowhere.

    Member   <shop>#<member>
    Item     ENTRY#<key>   Points: what was changed under this key, negative when collected. Beside it the Reason of a
                           grant; the GrantKey of a reclaim, and the points Asked for
             RECLAIMS      Count: how many of the entries are reclaims

An entry is never written over: so a key counts once, and its first answer is what every repeat is told.

A grant is the one write of its entry. Only reclaims lower a balance, so only they have to be kept apart: each raises
the count in the transaction that writes its entry, and one that may not go below zero asks that the count still be the
number of reclaims among the entries it added up. Those entries come page by page and are of no single moment. But if
the count at the end is the number that was seen, every reclaim there is was seen; what may have been missed are grants,
and the balance is then higher than the sum. So no two reclaims together take more than there is.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from adapters.batches import STATEMENTS_MOST, batches, is_invalid
from adapters.conflicts import conflicts_retried
from adapters.items import Item
from adapters.wallet_items import (
    ENTRY,
    RECLAIMS,
    Account,
    Entry,
    account_name,
    count_reclaim,
    entry_of,
    granted,
    insert,
    put_new,
    reclaimed,
)
from rewards.identifiers import split
from rewards.provider import Done, Member, PointsGrant, Unknown

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

RECLAIM_TRIES = 5


class ReclaimedMeanwhileError(Exception):
    """Points were collected from the member while the balance was added up."""


class DynamoWallet:
    """The port `rewards.provider.PointsProvider` over one table, and a reader of its books."""

    together = 10 * STATEMENTS_MOST

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def grant_all(self, grants: Sequence[PointsGrant]) -> list[Done | Unknown]:
        answers: list[Done | Unknown] = []
        for batch in batches(grants, STATEMENTS_MOST):
            answers += self._granted(batch) if len(batch) > 1 else map(self._granted_alone, batch)
        return answers

    def reclaim(self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool) -> Done | Unknown:
        def entry(collected: int) -> Item:
            return reclaimed(member, key, collected, asked=points, grant_key=grant_key)

        if allow_debt:
            return _answer(lambda: -self._reclaimed(entry(points)))
        return _answer(lambda: -self._collected(member, points, entry))

    def balance(self, member: Member) -> int:
        return self.account(member).balance

    def account(self, member: Member) -> Account:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#Member = :member AND begins_with(#Item, :entry)",
            ExpressionAttributeNames={"#Member": "Member", "#Item": "Item"},
            ExpressionAttributeValues={":member": {"S": account_name(member)}, ":entry": {"S": ENTRY}},
            ConsistentRead=True,
        )
        return Account(member, [entry_of(item) for page in pages for item in page["Items"]])

    def accounts(self) -> list[Account]:
        """Every account. Only while no points move are they of one moment."""
        pages = self._client.get_paginator("scan").paginate(TableName=self._table, ConsistentRead=True)
        entries: dict[str, list[Entry]] = defaultdict(list)
        for item in (item for page in pages for item in page["Items"]):
            if item["Item"]["S"] != RECLAIMS:
                entries[item["Member"]["S"]].append(entry_of(item))
        return [Account(Member(*split(account)), of_account) for account, of_account in entries.items()]

    def _granted(self, grants: Sequence[PointsGrant]) -> Iterable[Done | Unknown]:
        """One call for all of them, and another for each that it did not write: its entry may be there already.

        A call that is found invalid is one for which a single grant is to blame: each is asked for alone. When nobody
        answers, or the table is throttled, that would only make the wait longer, and whether it was done is unknown.
        """
        statements: Any = [insert(self._table, granted(grant)) for grant in grants]
        try:
            responses = self._client.batch_execute_statement(Statements=statements)["Responses"]
        except (BotoCoreError, ClientError) as error:
            if is_invalid(error):
                return map(self._granted_alone, grants)
            return [_unknown(error)] * len(grants)
        return self._each(grants, responses)

    def _each(self, grants: Sequence[PointsGrant], responses: Sequence[Any]) -> Iterator[Done | Unknown]:
        for grant, response in zip(grants, responses, strict=True):
            yield self._granted_alone(grant) if "Error" in response else Done(grant.points)

    def _granted_alone(self, grant: PointsGrant) -> Done | Unknown:
        return _answer(lambda: self._put(granted(grant)))

    def _put(self, entry: Item) -> int:
        """Points of the entry that stands under this key: of this one, or of the one that was there first."""
        try:
            conflicts_retried(lambda: self._client.put_item(TableName=self._table, **put_new(entry)))
        except self._client.exceptions.ConditionalCheckFailedException as failed:
            entry = failed.response["Item"]  # type: ignore[typeddict-item]
        return int(entry["Points"]["N"])

    def _collected(self, member: Member, points: int, entry: Callable[[int], Item]) -> int:
        """Collect what there is, up to `points`: added up first, and taken only if nobody took any meanwhile."""
        for _ in range(RECLAIM_TRIES):
            account = self.account(member)
            taken = max(0, min(points, account.balance))
            try:
                return self._reclaimed(entry(taken), after=account.reclaims)
            except ReclaimedMeanwhileError:
                continue
        raise ReclaimedMeanwhileError(member)

    def _reclaimed(self, entry: Item, after: int | None = None) -> int:
        """Points of the entry that stands under this key, this one or the first; if this one, it is counted.

        Raises ReclaimedMeanwhileError if it would not be the one `after` so many reclaims, where that matters.
        """
        writes: Any = [
            {"Put": {"TableName": self._table, **put_new(entry)}},
            {"Update": {"TableName": self._table, **count_reclaim(entry, after)}},
        ]
        try:
            conflicts_retried(lambda: self._client.transact_write_items(TransactItems=writes))
        except self._client.exceptions.TransactionCanceledException as cancelled:
            of_entry, of_count = map(dict[str, Any], cancelled.response["CancellationReasons"])
            if of_entry["Code"] == "ConditionalCheckFailed":
                return int(of_entry["Item"]["Points"]["N"])
            if of_count["Code"] == "ConditionalCheckFailed":
                raise ReclaimedMeanwhileError from None
            raise
        return int(entry["Points"]["N"])


def _answer(points: Callable[[], int]) -> Done | Unknown:
    """What came of it. Whatever went wrong, the entry tells the next one who asks whether it was done.

    An entry that is damaged, whose points are missing or no number, does not; but it costs nobody else anything.
    """
    try:
        return Done(points())
    except (BotoCoreError, ClientError, ReclaimedMeanwhileError, KeyError, ValueError) as error:
        return _unknown(error)


def _unknown(error: Exception) -> Unknown:
    return Unknown(f"{type(error).__name__}: {error}")
