"""Promotions as shops write them: read and checked whole (contract §2).

Whatever is refused is `Invalid` with the path to the field. An unknown field is refused too: a misspelt cap would be
no cap. Quotas, coupons and rewards that wait for shipping are refused until the steps behind them exist.
"""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import get_args

import msgspec

from rewards.entitlement import worth
from rewards.errors import Invalid
from rewards.fields import Fields, decoded
from rewards.order import SOURCES
from rewards.promotion import (
    Basis,
    ByDateTime,
    Days,
    Eligibility,
    LoyaltyPoints,
    OnShortfall,
    Promotion,
    Rounding,
    Tier,
    Timing,
)

KNOWN_VERSION = 1
FILE_BYTES = 16 * 1024 * 1024
PROMOTION_BYTES = 256 * 1024
PROMOTIONS_MOST = 1_000
LIST_MOST = 1_000
TIERS_MOST = 20  # every reward keeps a copy of them
POINTS_MOST = 1_000_000_000
RATE_MOST = Decimal(100)
DAYS_MOST = 3_650

SETTLED_IN_THE_ORDER = (
    "DiscountNthPieceWithPrice",
    "DiscountReachPriceWithRate",
    "DiscountByMemberWithPrice",
    "MultiBuyLowestPriceFree",
    "PromoCodeKOLReachPriceAmount",
    "FreeGiftReachPriceWithAmount",
    "DiscountReachPriceWithFreeGift",
    "RegisterReachPrice",
)
"""Types whose benefit lies in the order's own price or parcel: they never become a reward."""


def parse_promotions(body: str | bytes) -> list[Promotion]:
    """The promotions of a JSON document: one object, or a list of them without a repeat."""
    value = decoded(body, below=FILE_BYTES)
    if not isinstance(value, list):
        return [_promotion(Fields(value))]
    if len(value) > PROMOTIONS_MOST:
        raise Invalid("", f"{len(value):,} promotions are more than the {PROMOTIONS_MOST:,} of one document")
    promotions: dict[tuple[str, str], Promotion] = {}
    for position, each in enumerate(value):
        fields = Fields(each, f"[{position}]")
        promotion = _promotion(fields)
        identity = (promotion.shop_id, promotion.promotion_id)
        if identity in promotions:
            raise Invalid(fields.path("promotion_id"), f"{promotion.promotion_id!r} is there twice")
        promotions[identity] = promotion
    return list(promotions.values())


def _promotion(fields: Fields) -> Promotion:
    fields.check_version(KNOWN_VERSION)
    fields.only(*Promotion.__struct_encode_fields__, "type", "quota")
    _check_type(fields)
    _not_yet(fields, "quota")
    promotion = Promotion(
        shop_id=fields.identifier("shop_id"),
        promotion_id=fields.identifier("promotion_id"),
        name=fields.text("name"),
        currency=fields.currency("currency"),
        starts_at=fields.instant("starts_at"),
        ends_at=fields.instant("ends_at"),
        eligible=_eligibility(fields.nested("eligible")) if "eligible" in fields else Eligibility(),
        reward=_reward(fields.nested("reward")),
        timing=_timing(fields.nested("timing")),
        on_shortfall=fields.choice("on_shortfall", get_args(OnShortfall), default="clamp"),
    )
    if promotion.starts_at >= promotion.ends_at:
        raise Invalid(fields.path("ends_at"), "is not after starts_at")
    if len(msgspec.json.encode(promotion)) >= PROMOTION_BYTES:
        raise Invalid(fields.path("eligible"), f"makes the promotion longer than {PROMOTION_BYTES:,} bytes")
    return promotion


def _check_type(fields: Fields) -> None:
    if fields.value("type") in SETTLED_IN_THE_ORDER:
        raise Invalid(fields.path("type"), f"{fields.value('type')} is settled inside the order, not as a reward")
    fields.choice("type", ("Reward",))


def _not_yet(fields: Fields, name: str) -> None:
    if name in fields:
        raise Invalid(fields.path(name), "is not supported yet")


def _eligibility(fields: Fields) -> Eligibility:
    fields.only(*Eligibility.__struct_encode_fields__)
    sources = fields.texts("sources", LIST_MOST)
    if unknown := [source for source in sources if source not in SOURCES]:
        raise Invalid(fields.path("sources"), f"{unknown[0]!r} is not one of {', '.join(SOURCES)}")
    return Eligibility(
        sources=sources,
        min_amount=fields.amount("min_amount") if "min_amount" in fields else Decimal(0),
        skus=fields.texts("skus", LIST_MOST),
        categories=fields.texts("categories", LIST_MOST),
        exclude_skus=fields.texts("exclude_skus", LIST_MOST),
    )


def _reward(fields: Fields) -> LoyaltyPoints:
    if fields.value("type") == "ECoupon":
        raise Invalid(fields.path("type"), "ECoupon is not supported yet")
    fields.choice("type", ("LoyaltyPoints",))
    fields.only("type", *LoyaltyPoints.__struct_encode_fields__)
    given = _exactly_one(fields, "rate", "points", "tiers")
    return LoyaltyPoints(
        rate=_rate(fields) if given == "rate" else None,
        points=_points(fields, "points") if given == "points" else None,
        tiers=_tiers(fields) if given == "tiers" else (),
        rounding=fields.choice("rounding", get_args(Rounding), default="floor"),
        max_points=_points(fields, "max_points") if "max_points" in fields else None,
    )


def _tiers(fields: Fields) -> tuple[Tier, ...]:
    """From the lowest sum to the highest; where one takes over from another, it must not give less."""
    each = fields.each("tiers", 1, TIERS_MOST)
    tiers = tuple(_tier(tier) for tier in each)
    for (lower, higher), at in zip(pairwise(tiers), each[1:], strict=True):
        if lower.start >= higher.start:
            raise Invalid(at.path("from"), f"{higher.start} is not above the {lower.start} of the tier before")
        if worth(lower, Fraction(higher.start)) > worth(higher, Fraction(higher.start)):
            raise Invalid(at.path("from"), "gives less than the tier before: a reward must not fall as the sum rises")
    return tiers


def _tier(fields: Fields) -> Tier:
    fields.only(*Tier.__struct_encode_fields__)
    given = _exactly_one(fields, "rate", "points")
    return Tier(
        start=fields.amount("from"),
        points=_points(fields, "points") if given == "points" else None,
        rate=_rate(fields) if given == "rate" else None,
    )


def _exactly_one(fields: Fields, *names: str) -> str:
    given = [name for name in names if name in fields]
    if len(given) != 1:
        raise Invalid(fields.path(given[-1] if given else names[0]), f"exactly one of {', '.join(names)} is due")
    return given[0]


def _points(fields: Fields, name: str) -> int:
    return fields.whole(name, 0, POINTS_MOST)


def _rate(fields: Fields) -> Decimal:
    """Points for each unit of the currency."""
    rate = fields.amount("rate")
    if rate > RATE_MOST:
        raise Invalid(fields.path("rate"), f"{rate} is more than {RATE_MOST} points for each unit of the currency")
    return rate


def _timing(fields: Fields) -> Timing:
    if fields.choice("type", ("Days", "ByDateTime")) == "ByDateTime":
        fields.only("type", *ByDateTime.__struct_encode_fields__)
        return ByDateTime(fields.instant("at"))
    fields.only("type", *Days.__struct_encode_fields__, "before_shipping")
    _not_yet(fields, "before_shipping")
    basis: Basis = fields.choice("basis", get_args(Basis), default="ordered")
    if basis == "shipped":
        raise Invalid(fields.path("basis"), "shipped is not supported yet")
    return Days(fields.whole("days", 0, DAYS_MOST), basis)
