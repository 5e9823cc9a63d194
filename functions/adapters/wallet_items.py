"""Items of the wallet: an entry for every idempotency key, and how many of a member's entries are reclaims."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from adapters.items import Item, attribute
from rewards.identifiers import join
from rewards.provider import Member, PointsGrant

ENTRY = "ENTRY#"
RECLAIMS = "RECLAIMS"
ITEM_VERSION = 1


class Entry(NamedTuple):
    """What was changed under a key: negative when points were collected, which may be none."""

    key: str
    points: int
    is_reclaim: bool = False


class Account(NamedTuple):
    """Why a member holds what they hold."""

    member: Member
    entries: list[Entry]

    @property
    def balance(self) -> int:
        return sum(entry.points for entry in self.entries)

    @property
    def reclaims(self) -> int:
        return sum(entry.is_reclaim for entry in self.entries)


def account_name(member: Member) -> str:
    return join(member.shop_id, member.member_id)


def granted(grant: PointsGrant) -> Item:
    return entry_item(grant.member, grant.key, grant.points, Reason=grant.reason)


def reclaimed(member: Member, key: str, points: int, *, asked: int, grant_key: str) -> Item:
    """The entry of so many `points` collected, where more may have been asked for."""
    return entry_item(member, key, -points, Asked=asked, GrantKey=grant_key)


def entry_item(member: Member, key: str, points: int, **told: int | str) -> Item:
    fields = {"Member": account_name(member), "Item": ENTRY + key, "Points": points, **told, "v": ITEM_VERSION}
    return {name: attribute(value) for name, value in fields.items()}


def entry_of(item: Mapping[str, Any]) -> Entry:
    return Entry(item["Item"]["S"].removeprefix(ENTRY), int(item["Points"]["N"]), "GrantKey" in item)


def insert(table: str, entry: Item) -> dict[str, Any]:
    """The statement that writes the entry if there is none under its key."""
    fields = ", ".join(f"'{name}': ?" for name in entry)
    return {"Statement": f'INSERT INTO "{table}" VALUE {{{fields}}}', "Parameters": list(entry.values())}


def put_new(entry: Item) -> dict[str, Any]:
    return {
        "Item": entry,
        "ConditionExpression": "attribute_not_exists(#Member)",
        "ExpressionAttributeNames": {"#Member": "Member"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def count_reclaim(entry: Item, after: int | None) -> dict[str, Any]:
    """One more reclaim, if it comes `after` so many. A member nothing was collected from yet has no count."""
    update: dict[str, Any] = {
        "Key": {"Member": entry["Member"], "Item": {"S": RECLAIMS}},
        "UpdateExpression": "ADD #Count :one SET #v = :v",
        "ExpressionAttributeNames": {"#Count": "Count", "#v": "v"},
        "ExpressionAttributeValues": {":one": attribute(1), ":v": attribute(ITEM_VERSION)},
    }
    if after is None:
        return update
    if not after:
        return update | {"ConditionExpression": "attribute_not_exists(#Count)"}
    values = update["ExpressionAttributeValues"] | {":after": attribute(after)}
    return update | {"ConditionExpression": "#Count = :after", "ExpressionAttributeValues": values}
