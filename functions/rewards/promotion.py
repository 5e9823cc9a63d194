"""A promotion, and the part of it that a reward keeps: its rule."""

from datetime import datetime
from decimal import Decimal
from typing import Literal

from msgspec import Struct, field

Basis = Literal["ordered", "paid", "shipped"]
BeforeShipping = Literal["wait", "ordered"]
Rounding = Literal["floor", "half_up", "ceil"]
RewardType = Literal["LoyaltyPoints", "ECoupon"]
OnShortfall = Literal["clamp", "debt"]


class Tier(Struct, frozen=True, omit_defaults=True):
    """From this sum on: so many points, this rate, or so many coupons."""

    start: Decimal = field(name="from")
    points: int | None = None
    rate: Decimal | None = None
    quantity: int | None = None


class LoyaltyPoints(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="LoyaltyPoints"):
    """Exactly one of `rate`, `points` and `tiers`; `max_points` caps whatever they give."""

    rate: Decimal | None = None
    points: int | None = None
    tiers: tuple[Tier, ...] = ()
    rounding: Rounding = "floor"
    max_points: int | None = None


class ECoupon(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="ECoupon"):
    """Coupons of a template: `quantity` of them, or as many as the tier says."""

    template: str
    quantity: int | None = None
    tiers: tuple[Tier, ...] = ()


Benefit = LoyaltyPoints | ECoupon


class Days(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="Days"):
    """So many days after the order's basis time; 0 is the basis time itself.

    A reward that counts from shipping has, until the parcel leaves, no booking time (`wait`) or the one it would have
    if it counted from the order (`ordered`).
    """

    days: int
    basis: Basis = "ordered"
    before_shipping: BeforeShipping = "wait"


class ByDateTime(Struct, frozen=True, tag_field="type", tag="ByDateTime"):
    """At this instant, whatever the order's time."""

    at: datetime


Timing = Days | ByDateTime


class Eligibility(Struct, frozen=True, omit_defaults=True):
    """Which orders count, and which of their lines. An empty list asks for nothing."""

    sources: tuple[str, ...] = ()
    min_amount: Decimal = Decimal(0)
    skus: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    exclude_skus: tuple[str, ...] = ()


class Quota(Struct, frozen=True, omit_defaults=True):
    """How many orders get the reward: in all, and of one member. None is no limit.

    With `occupy` an order holds its place from when it is placed; unpaid for so many minutes, it lets the place go.
    """

    total: int | None = None
    per_member: int | None = None
    occupy: bool = False
    unpaid_minutes: int = 30


class Rule(Struct, frozen=True, omit_defaults=True):
    """What later sums need of a promotion, copied into the reward when its row is first written.

    Rows are paid for by the kilobyte, so nothing else is copied.
    """

    reward: Benefit
    timing: Timing
    min_amount: Decimal = Decimal(0)
    on_shortfall: OnShortfall = "clamp"

    @property
    def reward_type(self) -> RewardType:
        return "ECoupon" if isinstance(self.reward, ECoupon) else "LoyaltyPoints"


class Promotion(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A promotion as a shop stored it, checked whole on entry (contract §2)."""

    shop_id: str
    promotion_id: str
    name: str
    currency: str
    starts_at: datetime
    ends_at: datetime
    eligible: Eligibility
    reward: Benefit
    timing: Timing
    quota: Quota | None = None
    on_shortfall: OnShortfall = "clamp"
    v: int = 1

    @property
    def rule(self) -> Rule:
        return Rule(self.reward, self.timing, self.eligible.min_amount, self.on_shortfall)
