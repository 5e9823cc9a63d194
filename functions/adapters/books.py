"""Items of the tables beside the ledger, as the audit compares them with it."""

from collections.abc import Mapping
from typing import Any, get_args

from adapters.coupon_items import State, coupon_of
from adapters.items import plain
from adapters.wallet_items import ENTRY, entry_of
from rewards.auditing.books import IssuedCoupon
from rewards.auditing.effects import CouponEntry, PointsEntry
from rewards.identifiers import split
from rewards.provider import Member


def points_entry_of(item: Mapping[str, Any]) -> PointsEntry:
    """An entry of the wallet."""
    entry = entry_of(item)
    return PointsEntry(entry.key, account_of(item), entry.points, entry.is_reclaim)


def account_of(item: Mapping[str, Any]) -> Member:
    """Whose the item of a wallet, or of the coupons, is."""
    return Member(*split(item["Member"]["S"]))


def coupon_entry_of(item: Mapping[str, Any]) -> CouponEntry:
    """An entry of the coupon pool; one of an issue that found no stock has no codes."""
    told = {name: plain(item[name]) for name in ("Template", "Codes", "Revoked", "Used") if name in item}
    return CouponEntry(
        _key(item),
        account_of(item),
        told.get("Template"),
        tuple(told.get("Codes", ())),
        tuple(told.get("Revoked", ())),
        tuple(told.get("Used", ())),
    )


def issued_coupon_of(item: Mapping[str, Any]) -> IssuedCoupon:
    coupon = coupon_of(item)
    if coupon.state not in get_args(State):
        raise ValueError(f"{coupon.state} is no state of a coupon")
    return IssuedCoupon(coupon.member, coupon.code, coupon.template, coupon.state)


def _key(item: Mapping[str, Any]) -> str:
    key: str = item["Item"]["S"]
    return key.removeprefix(ENTRY)
