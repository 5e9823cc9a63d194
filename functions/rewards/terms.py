"""The terms of a promotion as a shop writes them: what it gives, when, and to how many (contract §2).

Read and checked whole, like the promotion around them; whatever is refused is `Invalid` with the path to the field.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import get_args

from rewards.entitlement import worth
from rewards.errors import Invalid
from rewards.fields import Fields
from rewards.promotion import (
    Basis,
    BeforeShipping,
    Benefit,
    ByDateTime,
    Days,
    ECoupon,
    LoyaltyPoints,
    Quota,
    RewardType,
    Rounding,
    Tier,
    Timing,
)

TIERS_MOST = 20  # every reward keeps a copy of them
LAST_YEAR = 9000  # what is reckoned from a time, such as the end of its window, must have a time too
POINTS_MOST = 1_000_000_000
COUPONS_MOST = 50  # all or none are issued, in one transaction, and the row keeps each one's code
RATE_MOST = Decimal(100)
DAYS_MOST = 3_650
PLACES_MOST = 1_000_000_000
UNPAID_MINUTES_MOST = 30 * 24 * 60


def read_benefit(fields: Fields) -> Benefit:
    """What the promotion gives."""
    if fields.choice("type", get_args(RewardType)) == "ECoupon":
        return _coupon(fields)
    fields.only("type", *LoyaltyPoints.__struct_encode_fields__)
    given = _exactly_one(fields, "rate", "points", "tiers")
    return LoyaltyPoints(
        rate=_rate(fields) if given == "rate" else None,
        points=_points(fields, "points") if given == "points" else None,
        tiers=_tiers(fields, _tier_of_points) if given == "tiers" else (),
        rounding=fields.choice("rounding", get_args(Rounding), default="floor"),
        max_points=_points(fields, "max_points") if "max_points" in fields else None,
    )


def read_timing(fields: Fields) -> Timing:
    """When it gives that. What to do before shipping is a question only where shipping counts."""
    if fields.choice("type", ("Days", "ByDateTime")) == "ByDateTime":
        fields.only("type", *ByDateTime.__struct_encode_fields__)
        at = fields.instant("at")
        if at.year > LAST_YEAR:
            raise Invalid(fields.path("at"), f"is after the year {LAST_YEAR}")
        return ByDateTime(at)
    fields.only("type", *Days.__struct_encode_fields__)
    basis: Basis = fields.choice("basis", get_args(Basis), default="ordered")
    if "before_shipping" in fields and basis != "shipped":
        raise Invalid(fields.path("before_shipping"), f"means something only with basis shipped, not with {basis}")
    return Days(
        days=fields.whole("days", 0, DAYS_MOST),
        basis=basis,
        before_shipping=fields.choice("before_shipping", get_args(BeforeShipping), default="wait"),
    )


def read_quota(fields: Fields) -> Quota:
    """To how many it gives that. How long a place is held is a question only where one is held before the payment."""
    fields.only(*Quota.__struct_encode_fields__)
    if "total" not in fields and "per_member" not in fields:
        raise Invalid(fields.path("total"), "a quota has a total, a limit per_member, or both")
    occupy = fields.flag("occupy")
    if "unpaid_minutes" in fields and not occupy:
        raise Invalid(fields.path("unpaid_minutes"), "means something only with occupy")
    return Quota(
        total=fields.whole("total", 1, PLACES_MOST) if "total" in fields else None,
        per_member=fields.whole("per_member", 1, PLACES_MOST) if "per_member" in fields else None,
        occupy=occupy,
        unpaid_minutes=fields.whole("unpaid_minutes", 1, UNPAID_MINUTES_MOST) if "unpaid_minutes" in fields else 30,
    )


def _coupon(fields: Fields) -> ECoupon:
    fields.only("type", *ECoupon.__struct_encode_fields__)
    given = _exactly_one(fields, "quantity", "tiers")
    return ECoupon(
        template=fields.text("template"),
        quantity=_quantity(fields) if given == "quantity" else None,
        tiers=_tiers(fields, _tier_of_coupons) if given == "tiers" else (),
    )


def _tiers(fields: Fields, tier: Callable[[Fields], Tier]) -> tuple[Tier, ...]:
    """From the lowest sum to the highest; where one takes over from another, it must not give less."""
    each = fields.each("tiers", 1, TIERS_MOST)
    tiers = tuple(tier(step) for step in each)
    for (lower, higher), at in zip(pairwise(tiers), each[1:], strict=True):
        if lower.start >= higher.start:
            raise Invalid(at.path("from"), f"{higher.start} is not above the {lower.start} of the tier before")
        if worth(lower, Fraction(higher.start)) > worth(higher, Fraction(higher.start)):
            raise Invalid(at.path("from"), "gives less than the tier before: a reward must not fall as the sum rises")
    return tiers


def _tier_of_points(fields: Fields) -> Tier:
    fields.only("from", "points", "rate")
    given = _exactly_one(fields, "rate", "points")
    return Tier(
        start=fields.amount("from"),
        points=_points(fields, "points") if given == "points" else None,
        rate=_rate(fields) if given == "rate" else None,
    )


def _tier_of_coupons(fields: Fields) -> Tier:
    fields.only("from", "quantity")
    return Tier(start=fields.amount("from"), quantity=_quantity(fields))


def _exactly_one(fields: Fields, *names: str) -> str:
    given = [name for name in names if name in fields]
    if len(given) != 1:
        raise Invalid(fields.path(given[-1] if given else names[0]), f"exactly one of {', '.join(names)} is due")
    return given[0]


def _points(fields: Fields, name: str) -> int:
    return fields.whole(name, 0, POINTS_MOST)


def _quantity(fields: Fields) -> int:
    return fields.whole("quantity", 0, COUPONS_MOST)


def _rate(fields: Fields) -> Decimal:
    """Points for each unit of the currency."""
    rate = fields.amount("rate")
    if rate > RATE_MOST:
        raise Invalid(fields.path("rate"), f"{rate} is more than {RATE_MOST} points for each unit of the currency")
    return rate
