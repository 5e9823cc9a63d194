"""What a rule gives for the lines that are kept, and what a return takes back of it (contract §6).

Every sum is made from the stored rule and from the order with all its returns, never from an earlier sum. So it does
not matter in how many pieces, in which order or how often something came back. Shares are fractions: three returns of
one of three pieces leave exactly nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from rewards.order import Line, Order, ReturnedLine
from rewards.promotion import Benefit, ECoupon, LoyaltyPoints, Rounding, Rule, Tier
from rewards.reward import Reward

Step = LoyaltyPoints | ECoupon | Tier


class Entitlement(NamedTuple):
    """The points, or coupons, a rule gives, and the sum it was applied to: a third has 28 digits there."""

    base_amount: Decimal
    points: int


class KeptLine(NamedTuple):
    """A line that counts: how many of its pieces came back, as told, and what is kept of its amount."""

    line: Line
    returned: int
    kept: Fraction


class Reckoning(NamedTuple):
    """How a rule comes to what it gives: the lines that count, their sum `base`, and the `step` that applies to it.

    `exact` is what the step is worth; `whole` is that rounded, and `points` what the cap leaves of it. No step applies
    to a sum of nothing, to less than the rule asks for, or below the lowest tier.
    """

    lines: tuple[KeptLine, ...]
    base: Fraction
    step: Step | None
    exact: Fraction
    whole: int
    points: int


def entitled(rule: Rule, order: Order, lines: Collection[str] | None) -> Entitlement:
    """What `rule` gives for what is kept of `lines`, the ids of those that count; None is all of them."""
    reckoning = reckoned(rule, order, lines)
    return Entitlement(decimal_of(reckoning.base), reckoning.points)


def reckoned(rule: Rule, order: Order, lines: Collection[str] | None) -> Reckoning:
    """The same, with every step of the way."""
    returned = _returned(order)
    kept = tuple(_kept(line, returned[line.line]) for line in order.lines if lines is None or line.line in lines)
    base = sum((line.kept for line in kept), Fraction(0))
    earns = base > 0 and base >= Fraction(rule.min_amount)
    step = step_for(rule.reward, base) if earns else None
    exact = worth(step, base) if step else Fraction(0)
    whole, most = int(exact), None
    if isinstance(rule.reward, LoyaltyPoints):
        whole, most = rounded(exact, rule.reward.rounding), rule.reward.max_points
    return Reckoning(kept, base, step, exact, whole, points=whole if most is None else min(whole, most))


def to_reclaim(reward: Reward, order: Order) -> int:
    """What is to be taken back of a granted reward, in points or coupons, as its order stands now.

    What was taken so far counts, collected or not, so that nothing is ever asked for twice.
    """
    taken = reward.recycle_points + reward.shortfall
    return max(0, reward.points - taken - entitled(reward.rule, order, reward.lines).points)


def step_for(benefit: Benefit, base: Fraction) -> Step | None:
    """What of a benefit applies to `base`: the highest tier it reaches, if any; without tiers the benefit itself."""
    if not benefit.tiers:
        return benefit
    reached = [tier for tier in benefit.tiers if Fraction(tier.start) <= base]
    return reached[-1] if reached else None


def worth(step: Step, base: Fraction) -> Fraction:
    """What a rate, or a fixed number of points or coupons, comes to for `base`, before rounding and cap."""
    match step:
        case LoyaltyPoints(rate=Decimal() as rate) | Tier(rate=Decimal() as rate):
            return Fraction(rate) * base
        case LoyaltyPoints(points=int(fixed)) | Tier(points=int(fixed)):
            return Fraction(fixed)
        case ECoupon(quantity=int(fixed)) | Tier(quantity=int(fixed)):
            return Fraction(fixed)
    raise ValueError(f"{step} gives neither a rate nor a number")


def rounded(points: Fraction, rounding: Rounding) -> int:
    match rounding:
        case "floor":
            return floor(points)
        case "half_up":
            return floor(points + Fraction(1, 2))
        case "ceil":
            return ceil(points)


def decimal_of(exact: Fraction) -> Decimal:
    """The fraction in 28 digits, for the record."""
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def _returned(order: Order) -> defaultdict[str, list[ReturnedLine]]:
    """All that came back, by line."""
    everything = [ReturnedLine(line.line, line.quantity) for line in order.lines]
    returned: defaultdict[str, list[ReturnedLine]] = defaultdict(list)
    for told in order.counted_returns:
        for each in everything if told.lines == "all" else told.lines:
            returned[each.line].append(each)
    return returned


def _kept(line: Line, told: Sequence[ReturnedLine]) -> KeptLine:
    """What is kept of the line's amount: nothing once every piece came back, whatever was paid back for them."""
    returned = sum(each.quantity for each in told)
    if returned >= line.quantity:
        return KeptLine(line, returned, Fraction(0))
    left = Fraction(line.amount) - sum(_share(line, each) for each in told)
    return KeptLine(line, returned, max(Fraction(0), left))


def _share(line: Line, returned: ReturnedLine) -> Fraction:
    """The part of the line's amount that came back: as it was told, else pro rata."""
    if returned.amount is not None:
        return Fraction(returned.amount)
    return Fraction(line.amount) * returned.quantity / line.quantity
