"""The items of the coupon pool, and back: stocks, coupons, and entries by idempotency key."""

import secrets
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

from adapters.items import Item, attribute, plain
from rewards.identifiers import join, split
from rewards.provider import Issued, Member, OutOfStock, Revoked

CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # no I, L, O, U, which are taken for others
CODE_LENGTH = 12  # 60 bits: not to be guessed
ITEM_VERSION = 1

State = Literal["issued", "used", "revoked"]


class Stock(NamedTuple):
    """Coupons of a template: how many can still be issued, and how many were."""

    left: int
    issued: int


class Coupon(NamedTuple):
    """A coupon, and the member it was issued to."""

    member: Member
    code: str
    template: str
    state: State


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def stock_key(shop_id: str, template: str) -> Item:
    return {"Item": {"S": join("STOCK", shop_id, template)}}


def stock_name(key: Mapping[str, Any]) -> tuple[str, str]:
    """The shop and the template of a stock."""
    _, shop_id, template = split(key["Item"]["S"])
    return shop_id, template


def stock_of(item: Mapping[str, Any] | None) -> Stock:
    counts = {name: plain(value) for name, value in (item or {}).items()}
    return Stock(counts.get("Left", 0), counts.get("Issued", 0))


def coupon_key(shop_id: str, code: str) -> Item:
    return {"Item": {"S": join("COUPON", shop_id, code)}}


def coupon_item(coupon: Coupon) -> Item:
    key = coupon_key(coupon.member.shop_id, coupon.code)
    return key | _fields(coupon.member, Template=coupon.template, State=coupon.state)


def coupon_of(item: Mapping[str, Any]) -> Coupon:
    _, _, code = split(item["Item"]["S"])
    member = Member(*split(item["Member"]["S"]))
    return Coupon(member, code, item["Template"]["S"], cast(State, item["State"]["S"]))


def entry_item(key: str, member: Member, **fields: object) -> Item:
    return {"Item": {"S": f"ENTRY#{key}"}} | _fields(member, **fields)


def put_new(item: Item) -> dict[str, Any]:
    """The arguments of a Put that writes over nothing, and tells what is there instead."""
    return {
        "Item": item,
        "ConditionExpression": "attribute_not_exists(#Item)",
        "ExpressionAttributeNames": {"#Item": "Item"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def issued(entry: Mapping[str, Any]) -> Issued | OutOfStock:
    """The answer that stands in an entry of `issue`."""
    return Issued(tuple(plain(entry["Codes"]))) if "Codes" in entry else OutOfStock()


def revoked(entry: Mapping[str, Any]) -> Revoked:
    """The answer that stands in an entry of `revoke`."""
    return Revoked(tuple(plain(entry["Revoked"])), tuple(plain(entry["Used"])))


def _fields(member: Member, **fields: object) -> Item:
    all_fields = fields | {"Member": join(member.shop_id, member.member_id), "v": ITEM_VERSION}
    return {name: attribute(value) for name, value in all_fields.items()}
