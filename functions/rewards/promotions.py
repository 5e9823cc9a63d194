"""Promotions as shops write them: read and checked whole (contract §2).

Whatever is refused is `Invalid` with the path to the field. An unknown field is refused too: a misspelt cap would be
no cap. What a promotion gives, when, and to how many, is read by `terms`.
"""

from decimal import Decimal
from typing import get_args

import msgspec

from rewards.errors import Invalid
from rewards.fields import Fields, decoded
from rewards.order import SOURCES
from rewards.promotion import Eligibility, OnShortfall, Promotion
from rewards.terms import read_benefit, read_quota, read_timing

KNOWN_VERSION = 1
FILE_BYTES = 16 * 1024 * 1024
PROMOTION_BYTES = 256 * 1024
PROMOTIONS_MOST = 1_000
LIST_MOST = 1_000

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
    fields.only(*Promotion.__struct_encode_fields__, "type")
    _check_type(fields)
    promotion = Promotion(
        shop_id=fields.identifier("shop_id"),
        promotion_id=fields.identifier("promotion_id"),
        name=fields.text("name"),
        currency=fields.currency("currency"),
        starts_at=fields.instant("starts_at"),
        ends_at=fields.instant("ends_at"),
        eligible=_eligibility(fields.nested("eligible")) if "eligible" in fields else Eligibility(),
        reward=read_benefit(fields.nested("reward")),
        timing=read_timing(fields.nested("timing")),
        quota=read_quota(fields.nested("quota")) if "quota" in fields else None,
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
