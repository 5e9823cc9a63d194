import json
from decimal import Decimal
from typing import Any

import pytest

from rewards.errors import Invalid
from rewards.promotions import SETTLED_IN_THE_ORDER, parse_promotions
from tests.builders import a_written_promotion


def refusal(**changes: Any) -> str:
    with pytest.raises(Invalid) as refused:
        parse_promotions(json.dumps(a_written_promotion(**changes)))
    return str(refused.value)


def points(**reward: Any) -> dict[str, Any]:
    return {"type": "LoyaltyPoints"} | reward


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"promotion_id": None}, "promotion_id: is missing"),
        ({"promotion_id": 28343}, "promotion_id: 28343 is not a string"),
        ({"shop_id": " "}, "shop_id: is empty"),
        ({"name": None}, "name: is missing"),
        ({"currency": "NT$"}, "currency: 'NT$' is not a currency code"),
        ({"starts_at": "2026-11-01T00:00:00"}, "starts_at: '2026-11-01T00:00:00' is not a time with an offset"),
        ({"ends_at": "2026-11-01T00:00:00+08:00"}, "ends_at: is not after starts_at"),
        ({"on_shortfall": "forgive"}, "on_shortfall: 'forgive' is not one of clamp, debt"),
        ({"note": "hi"}, "note: is none of the fields here"),
        ({"eligible": {"sources": ["Web"]}}, "eligible.sources: 'Web' is not one of ECom, Others"),
        ({"eligible": {"min_amount": 1000}}, "eligible.min_amount: 1000 is not a decimal string"),
        ({"eligible": {"min_amount": "-1"}}, "eligible.min_amount: '-1' is not a decimal string"),
        ({"eligible": {"skus": "A"}}, "eligible.skus: 'A' is not a list"),
        ({"eligible": {"skus": ["A"] * 1001}}, "eligible.skus: has 1001 items, not 0 to 1000"),
        ({"eligible": {"skus": ["A" * 299] * 999}}, "eligible: makes the promotion longer than 262,144 bytes"),
        ({"eligible": {"sku": ["A"]}}, "eligible.sku: is none of the fields here"),
        ({"timing": None}, "timing: is missing"),
        ({"timing": {"type": "Weeks"}}, "timing.type: 'Weeks' is not one of Days, ByDateTime"),
        ({"timing": {"type": "Days"}}, "timing.days: is missing"),
        ({"timing": {"type": "Days", "days": -1}}, "timing.days: -1 is not between 0 and 3,650"),
        ({"timing": {"type": "Days", "days": "7"}}, "timing.days: '7' is not a whole number"),
        ({"timing": {"type": "Days", "days": 7, "at": "x"}}, "timing.at: is none of the fields here"),
        ({"timing": {"type": "Days", "days": 7, "basis": "billed"}}, "timing.basis: 'billed' is not one of ordered"),
        ({"timing": {"type": "ByDateTime"}}, "timing.at: is missing"),
        ({"timing": {"type": "ByDateTime", "at": "9999-12-31T23:59:59Z"}}, "timing.at: is after the year 9000"),
        ({"timing": {"type": "ByDateTime", "at": "2026-12-24"}}, "timing.at: '2026-12-24' is not a time"),
    ],
)
def test_a_refusal_names_the_field(changes: dict[str, Any], problem: str) -> None:
    assert refusal(**changes).startswith(problem)


@pytest.mark.parametrize(
    ("reward", "problem"),
    [
        ({}, "reward.type: is missing"),
        ({"type": "Cash"}, "reward.type: 'Cash' is not one of LoyaltyPoints, ECoupon"),
        (points(), "reward.rate: exactly one of rate, points, tiers is due"),
        (points(rate="0.05", points=5), "reward.points: exactly one of rate, points, tiers is due"),
        (points(points=5, tiers=[]), "reward.tiers: exactly one of rate, points, tiers is due"),
        (points(rate=0.05), "reward.rate: 0.05 is not a decimal string"),
        (points(rate="-0.05"), "reward.rate: '-0.05' is not a decimal string"),
        (points(rate="5e-2"), "reward.rate: '5e-2' is not a decimal string"),
        (points(rate="101"), "reward.rate: 101 is more than 100 points for each unit"),
        (points(points="5"), "reward.points: '5' is not a whole number"),
        (points(points=5.0), "reward.points: 5.0 is not a whole number"),
        (points(points=-1), "reward.points: -1 is not between 0 and 1,000,000,000"),
        (points(rate="0.05", max_points=-1), "reward.max_points: -1 is not between"),
        (points(rate="0.05", max_point=5), "reward.max_point: is none of the fields here"),
        (points(rate="0.05", rounding="up"), "reward.rounding: 'up' is not one of floor, half_up, ceil"),
        (points(tiers=[]), "reward.tiers: has 0 items, not 1 to 20"),
        (points(tiers=[{"from": "0", "points": 1}] * 21), "reward.tiers: has 21 items, not 1 to 20"),
        (points(tiers=[{"points": 1}]), "reward.tiers[0].from: is missing"),
        (points(tiers=[{"from": 0, "points": 1}]), "reward.tiers[0].from: 0 is not a decimal string"),
        (points(tiers=[{"from": "0"}]), "reward.tiers[0].rate: exactly one of rate, points is due"),
        (points(tiers=[{"from": "0", "points": 1, "upto": "5"}]), "reward.tiers[0].upto: is none of the fields"),
    ],
)
def test_a_reward_gives_by_exactly_one_sound_rule(reward: dict[str, Any], problem: str) -> None:
    assert refusal(reward=reward).startswith(problem)


def steps(*given: tuple[str, int | str]) -> list[dict[str, Any]]:
    return [{"from": start, "points" if isinstance(gives, int) else "rate": gives} for start, gives in given]


@pytest.mark.parametrize(
    "tiers",
    [
        steps(("1000", 50)),
        steps(("0", 0), ("1000", 50), ("2000", 50), ("3000", 90)),
        steps(("0", "0"), ("1000", "0.05"), ("2000", "0.05"), ("2000.01", "0.1")),
        steps(("0", "0.05"), ("1000", 50), ("2000", "0.025")),
    ],
)
def test_tiers_that_do_not_fall_are_read_in_their_order(tiers: list[dict[str, Any]]) -> None:
    (promotion,) = parse_promotions(json.dumps(a_written_promotion(reward=points(tiers=tiers))))
    assert [tier.start for tier in promotion.reward.tiers] == [Decimal(tier["from"]) for tier in tiers]


@pytest.mark.parametrize(
    "tiers",
    [
        steps(("1000", 50), ("2000", 49)),
        steps(("1000", "0.05"), ("2000", "0.049999")),
        steps(("1000", "0.05"), ("2000", 99)),
        steps(("1000", 50), ("2000", "0.024")),
    ],
)
def test_tiers_that_fall_as_the_sum_rises_are_refused(tiers: list[dict[str, Any]]) -> None:
    assert refusal(reward=points(tiers=tiers)).startswith("reward.tiers[1].from: gives less than the tier before")


@pytest.mark.parametrize("start", ["999.99", "1000", "1000.00"])
def test_tiers_that_do_not_rise_are_refused(start: str) -> None:
    reward = points(tiers=steps(("1000", 50), (start, 60)))
    assert refusal(reward=reward) == f"reward.tiers[1].from: {start} is not above the 1000 of the tier before"


@pytest.mark.parametrize("kind", SETTLED_IN_THE_ORDER)
def test_a_type_that_is_settled_inside_the_order_is_refused_with_that_reason(kind: str) -> None:
    assert refusal(type=kind) == f"type: {kind} is settled inside the order, not as a reward"


def test_a_type_nobody_knows_is_refused() -> None:
    assert refusal(type="Lottery") == "type: 'Lottery' is not one of Reward"
    assert refusal(type=None) == "type: is missing"
