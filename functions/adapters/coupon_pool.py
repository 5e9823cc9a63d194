"""The built-in provider of coupons: a stock of each template, every coupon, and every answer by idempotency key.

    Item
    STOCK#<shop>#<template>   how many can still be issued (Left), and how many were (Issued)
    COUPON#<shop>#<code>      Template, Member, and State: issued, then used or revoked for good
    ENTRY#<key>               what was asked under this key, and the answer: Codes; or Revoked and Used; or, out of
                              stock, neither

Codes are made as they are issued. Entry, stock and coupons are written in one transaction, and an entry is never
written over: so a key counts once, all of it or nothing, and its first answer is what every repeat is told.
A coupon is found by its code alone: who holds it may have changed since, as when two members are merged.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from adapters.conflicts import conflicts_retried
from adapters.coupon_items import (
    Coupon,
    State,
    Stock,
    coupon_item,
    coupon_key,
    coupon_of,
    entry_item,
    issued,
    new_code,
    put_new,
    revoked,
    stock_key,
    stock_name,
    stock_of,
)
from adapters.items import Item, attribute
from rewards.provider import Issued, Member, OutOfStock, Refused, Revoked, Unknown

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ENTRY, STOCK = 0, 1
"""Places in a transaction: the entry comes first, then the stock; coupons follow."""

T = TypeVar("T")


class DynamoCouponPool:
    """The port `rewards.provider.CouponProvider` over one table; the shop's stock; and a reader of its books."""

    together = 25

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def issue(self, key: str, template: str, member: Member, quantity: int) -> Issued | OutOfStock | Unknown:
        return _known(lambda: self._issue(key, template, member, quantity))

    def revoke(self, key: str, member: Member, codes: tuple[str, ...]) -> Revoked | Refused | Unknown:
        return _known(lambda: self._revoke(key, member, codes))

    def add_stock(self, shop_id: str, template: str, count: int) -> None:
        """So many more can be issued. A template that got no stock yet has none."""
        self._client.update_item(
            TableName=self._table,
            Key=stock_key(shop_id, template),
            UpdateExpression="ADD #Left :count",
            ExpressionAttributeNames={"#Left": "Left"},
            ExpressionAttributeValues={":count": attribute(count)},
        )

    def stock(self, shop_id: str, template: str) -> Stock:
        return stock_of(self._get(stock_key(shop_id, template)))

    def use(self, shop_id: str, code: str) -> bool:
        """The member uses the coupon; False if it is void, was used before, or never was."""
        try:
            self._client.update_item(TableName=self._table, **_move(shop_id, code, "used"))
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def coupon(self, shop_id: str, code: str) -> Coupon | None:
        item = self._get(coupon_key(shop_id, code))
        return coupon_of(item) if item else None

    def coupons(self) -> Iterator[Coupon]:
        """Every coupon that was ever issued."""
        return map(coupon_of, self._items("COUPON#"))

    def stocks(self) -> list[tuple[str, str, Stock]]:
        """Every stock, by shop and template."""
        return sorted((*stock_name(item), stock_of(item)) for item in self._items("STOCK#"))

    def _issue(self, key: str, template: str, member: Member, quantity: int) -> Issued | OutOfStock:
        while True:
            codes = tuple(new_code() for _ in range(quantity))
            failed = self._write(
                ("Put", put_new(entry_item(key, member, Template=template, Quantity=quantity, Codes=codes))),
                ("Update", _taken_from_stock(member.shop_id, template, quantity)),
                *(("Put", put_new(coupon_item(Coupon(member, code, template, "issued")))) for code in codes),
            )
            if not failed:
                return Issued(codes)
            if ENTRY in failed:
                return issued(failed[ENTRY])
            if STOCK in failed:
                return issued(self._first(entry_item(key, member, Template=template, Quantity=quantity)))
            # One of the codes exists: others are drawn.

    def _revoke(self, key: str, member: Member, codes: tuple[str, ...]) -> Revoked | Refused:
        while True:
            states = {code: self._state(member.shop_id, code) for code in codes}
            if unknown := [code for code, state in states.items() if state is None]:
                return Refused(f"no coupon {unknown[0]}")  # needs no entry: a code that never was will never be
            used = tuple(code for code, state in states.items() if state == "used")
            void = tuple(code for code, state in states.items() if state != "used")
            failed = self._write(
                ("Put", put_new(entry_item(key, member, Revoked=void, Used=used))),
                *(("Update", _move(member.shop_id, code, "revoked")) for code in void if states[code] == "issued"),
            )
            if not failed:
                return Revoked(void, used)
            if ENTRY in failed:
                return revoked(failed[ENTRY])
            # A coupon was used or revoked since it was read. Each is so only once: this ends.

    def _state(self, shop_id: str, code: str) -> State | None:
        coupon = self.coupon(shop_id, code)
        return coupon.state if coupon else None

    def _items(self, prefix: str) -> Iterator[Mapping[str, Any]]:
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            FilterExpression="begins_with(#Item, :prefix)",
            ExpressionAttributeNames={"#Item": "Item"},
            ExpressionAttributeValues={":prefix": {"S": prefix}},
            ConsistentRead=True,
        )
        return (item for page in pages for item in page["Items"])

    def _get(self, key: Item) -> Item | None:
        return self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True).get("Item")

    def _first(self, entry: Item) -> Item:
        """The entry that stands under this key: this one, or the one that was there first."""
        return self._write(("Put", put_new(entry))).get(ENTRY, entry)

    def _write(self, *writes: tuple[str, dict[str, Any]]) -> dict[int, Item]:
        """Write all, or nothing: then the places of the writes whose condition failed, and what is there instead."""
        actions: Any = [{kind: {"TableName": self._table, **write}} for kind, write in writes]
        try:
            conflicts_retried(lambda: self._client.transact_write_items(TransactItems=actions))
        except self._client.exceptions.TransactionCanceledException as cancelled:
            failed = _failed_conditions(cancelled.response["CancellationReasons"])
            if not failed:
                raise
            return failed
        return {}


def _known(answer: Callable[[], T]) -> T | Unknown:
    """What came of it. Whatever went wrong, the entry tells the next one who asks whether it was done."""
    try:
        return answer()
    except (BotoCoreError, ClientError) as error:
        return Unknown(f"{type(error).__name__}: {error}")


def _failed_conditions(reasons: Iterable[Mapping[str, Any]]) -> dict[int, Item]:
    return {
        place: reason.get("Item", {})
        for place, reason in enumerate(reasons)
        if reason.get("Code") == "ConditionalCheckFailed"
    }


def _taken_from_stock(shop_id: str, template: str, quantity: int) -> dict[str, Any]:
    return {
        "Key": stock_key(shop_id, template),
        "UpdateExpression": "ADD #Left :minus, #Issued :quantity",
        "ConditionExpression": "#Left >= :quantity",
        "ExpressionAttributeNames": {"#Left": "Left", "#Issued": "Issued"},
        "ExpressionAttributeValues": {":minus": attribute(-quantity), ":quantity": attribute(quantity)},
    }


def _move(shop_id: str, code: str, state: State) -> dict[str, Any]:
    return {
        "Key": coupon_key(shop_id, code),
        "UpdateExpression": "SET #State = :state",
        "ConditionExpression": "#State = :issued",
        "ExpressionAttributeNames": {"#State": "State"},
        "ExpressionAttributeValues": {":state": attribute(state), ":issued": attribute("issued")},
    }
