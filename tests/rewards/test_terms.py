"""What a promotion may give, when, and to how many: coupons, rewards that count from shipping, quotas."""

import json
from typing import Any

import pytest

from rewards.errors import Invalid
from rewards.promotion import Days, ECoupon, Promotion, Quota
from rewards.promotions import parse_promotions
from tests.builders import a_written_promotion


def parsed(**changes: Any) -> Promotion:
    (promotion,) = parse_promotions(json.dumps(a_written_promotion(**changes)))
    return promotion


def refusal(**changes: Any) -> str:
    with pytest.raises(Invalid) as refused:
        parsed(**changes)
    return str(refused.value)


def coupon(**reward: Any) -> dict[str, Any]:
    return {"type": "ECoupon"} | reward


def days(**timing: Any) -> dict[str, Any]:
    return {"type": "Days", "days": 7} | timing


def test_coupons_of_a_template_are_read() -> None:
    promotion = parsed(reward=coupon(template="AUTUMN-100", quantity=2))
    assert promotion.reward == ECoupon("AUTUMN-100", quantity=2)
    assert promotion.rule.reward_type == "ECoupon"


def test_more_coupons_for_more_money_are_read() -> None:
    tiers = [{"from": "1000", "quantity": 1}, {"from": "2000", "quantity": 1}, {"from": "5000", "quantity": 4}]
    reward = parsed(reward=coupon(template="T", tiers=tiers)).reward
    assert isinstance(reward, ECoupon)
    assert [(int(tier.start), tier.quantity) for tier in reward.tiers] == [(1000, 1), (2000, 1), (5000, 4)]


@pytest.mark.parametrize(
    ("reward", "problem"),
    [
        (coupon(quantity=1), "reward.template: is missing"),
        (coupon(template=" ", quantity=1), "reward.template: is empty"),
        (coupon(template="T"), "reward.quantity: exactly one of quantity, tiers is due"),
        (coupon(template="T", quantity=1, tiers=[]), "reward.tiers: exactly one of quantity, tiers is due"),
        (coupon(template="T", quantity="1"), "reward.quantity: '1' is not a whole number"),
        (coupon(template="T", quantity=51), "reward.quantity: 51 is not between 0 and 50"),
        (coupon(template="T", quantity=1, max_points=5), "reward.max_points: is none of the fields here"),
        (coupon(template="T", tiers=[]), "reward.tiers: has 0 items, not 1 to 20"),
        (coupon(template="T", tiers=[{"from": "0"}]), "reward.tiers[0].quantity: is missing"),
        (coupon(template="T", tiers=[{"from": "0", "points": 1}]), "reward.tiers[0].points: is none of the fields"),
        (
            coupon(template="T", tiers=[{"from": "0", "quantity": 2}, {"from": "9", "quantity": 1}]),
            "reward.tiers[1].from: gives less than the tier before",
        ),
        ({"type": "LoyaltyPoints", "tiers": [{"from": "0", "quantity": 1}]}, "reward.tiers[0].quantity: is none of"),
    ],
)
def test_a_refused_coupon_is_named_by_its_field(reward: dict[str, Any], problem: str) -> None:
    assert refusal(reward=reward).startswith(problem)


@pytest.mark.parametrize(
    ("timing", "read"),
    [
        (days(basis="shipped"), Days(7, "shipped", "wait")),
        (days(basis="shipped", before_shipping="wait"), Days(7, "shipped", "wait")),
        (days(basis="shipped", before_shipping="ordered"), Days(7, "shipped", "ordered")),
    ],
)
def test_a_reward_may_count_from_shipping_and_wait_for_it_or_not(timing: dict[str, Any], read: Days) -> None:
    assert parsed(timing=timing).timing == read


@pytest.mark.parametrize(
    ("timing", "problem"),
    [
        (days(basis="shipped", before_shipping="paid"), "timing.before_shipping: 'paid' is not one of wait, ordered"),
        (
            days(basis="paid", before_shipping="wait"),
            "timing.before_shipping: means something only with basis shipped, not with paid",
        ),
        (days(before_shipping="ordered"), "timing.before_shipping: means something only with basis shipped"),
        (
            {"type": "ByDateTime", "at": "2026-12-24T00:00:00+08:00", "before_shipping": "wait"},
            "timing.before_shipping: is none of the fields here",
        ),
    ],
)
def test_what_to_do_before_shipping_is_said_only_where_shipping_counts(timing: dict[str, Any], problem: str) -> None:
    assert refusal(timing=timing).startswith(problem)


@pytest.mark.parametrize(
    ("quota", "read"),
    [
        ({"total": 1000, "per_member": 1, "occupy": True, "unpaid_minutes": 60}, Quota(1000, 1, True, 60)),
        ({"total": 1000, "occupy": True}, Quota(1000, None, True, 30)),
        ({"per_member": 2}, Quota(None, 2, False)),
    ],
)
def test_a_quota_limits_how_many_orders_get_the_reward(quota: dict[str, Any], read: Quota) -> None:
    assert parsed(quota=quota).quota == read


@pytest.mark.parametrize(
    ("quota", "problem"),
    [
        ({}, "quota.total: a quota has a total, a limit per_member, or both"),
        ({"occupy": True}, "quota.total: a quota has a total, a limit per_member, or both"),
        ({"total": 0}, "quota.total: 0 is not between 1 and 1,000,000,000"),
        ({"total": "1000"}, "quota.total: '1000' is not a whole number"),
        ({"per_member": 0}, "quota.per_member: 0 is not between 1 and"),
        ({"total": 1, "occupy": "yes"}, "quota.occupy: 'yes' is neither true nor false"),
        ({"total": 1, "occupy": 0}, "quota.occupy: 0 is neither true nor false"),
        ({"total": 1, "unpaid_minutes": 30}, "quota.unpaid_minutes: means something only with occupy"),
        ({"total": 1, "occupy": True, "unpaid_minutes": 0}, "quota.unpaid_minutes: 0 is not between 1 and 43,200"),
        ({"total": 1, "totals": 1}, "quota.totals: is none of the fields here"),
    ],
)
def test_a_quota_that_cannot_be_right_is_refused(quota: dict[str, Any], problem: str) -> None:
    assert refusal(quota=quota).startswith(problem)
