from decimal import Decimal

import pytest

from rewards.entitlement import entitled, to_reclaim
from rewards.order import Order, Return, ReturnedLine
from rewards.promotion import Benefit, ECoupon, LoyaltyPoints, Rounding, Tier
from tests.builders import a_line, a_paid_order, a_promotion, a_return, a_reward, an_order, tiers, with_returns


def points(reward: Benefit, amount: str, *, min_amount: str = "0") -> int:
    rule = a_promotion(reward, min_amount=Decimal(min_amount)).rule
    return entitled(rule, an_order([a_line(amount=amount)]), None).points


def kept(order: Order, *told: Return) -> Decimal:
    return entitled(a_promotion().rule, with_returns(order, *told), None).base_amount


@pytest.mark.parametrize(
    ("rounding", "amount", "earned"),
    [
        ("floor", "999.99", 49), ("half_up", "999.99", 50), ("ceil", "999.99", 50),
        ("floor", "990", 49), ("half_up", "990", 50), ("half_up", "989.99", 49), ("ceil", "980.01", 50),
        ("floor", "1000", 50), ("half_up", "1000", 50), ("ceil", "1000", 50),
        ("half_up", "970", 49), ("half_up", "1010", 51),
    ],
)  # fmt: skip
def test_a_rate_is_rounded_as_the_rule_says(rounding: Rounding, amount: str, earned: int) -> None:
    assert points(LoyaltyPoints(rate=Decimal("0.05"), rounding=rounding), amount) == earned


def test_a_rate_is_reckoned_in_decimals_and_not_in_binary() -> None:
    assert points(LoyaltyPoints(rate=Decimal("0.1"), rounding="ceil"), "30") == 3
    assert points(LoyaltyPoints(rate=Decimal("0.07")), "100") == 7


@pytest.mark.parametrize(("amount", "earned"), [("9999", 499), ("10000", 500), ("999999999999", 500)])
def test_the_cap_holds_whatever_the_sum(amount: str, earned: int) -> None:
    assert points(LoyaltyPoints(rate=Decimal("0.05"), max_points=500), amount) == earned


@pytest.mark.parametrize(("amount", "earned"), [("999.99", 0), ("1000", 30), ("5000", 30)])
def test_fixed_points_are_earned_from_the_least_sum_on(amount: str, earned: int) -> None:
    assert points(LoyaltyPoints(points=30), amount, min_amount="1000") == earned


@pytest.mark.parametrize(
    ("amount", "earned"), [("0.01", 0), ("999.99", 0), ("1000", 50), ("2999", 50), ("3000", 300), ("10000", 600)]
)
def test_a_tier_counts_from_its_sum_up_to_the_next(amount: str, earned: int) -> None:
    assert points(tiers((1000, 50), (3000, "0.1"), max_points=600), amount) == earned


@pytest.mark.parametrize(("amount", "earned"), [("999.99", 0), ("1000", 2), ("5000", 2)])
def test_coupons_are_earned_from_the_least_sum_on(amount: str, earned: int) -> None:
    assert points(ECoupon("T", quantity=2), amount, min_amount="1000") == earned


@pytest.mark.parametrize(("amount", "earned"), [("999.99", 0), ("1000", 1), ("2999.99", 1), ("3000", 4)])
def test_a_tier_says_how_many_coupons(amount: str, earned: int) -> None:
    coupons = ECoupon("T", tiers=(Tier(Decimal(1000), quantity=1), Tier(Decimal(3000), quantity=4)))
    assert points(coupons, amount) == earned


def test_a_return_takes_back_the_coupons_that_the_kept_lines_do_not_earn() -> None:
    coupons = ECoupon("T", tiers=(Tier(Decimal(1000), quantity=1), Tier(Decimal(2000), quantity=3)))
    row = a_reward("Reward", rule=a_promotion(coupons).rule, reward_type="ECoupon", points=3)
    order = a_paid_order([a_line("L1", 1000), a_line("L2", 1000)])
    assert to_reclaim(row, with_returns(order, a_return([ReturnedLine("L1", 1)]))) == 2
    assert to_reclaim(row, with_returns(order, a_return("all"))) == 3


def test_a_sum_of_nothing_earns_nothing() -> None:
    assert points(LoyaltyPoints(points=30), "0") == 0


def test_only_the_lines_that_count_are_summed() -> None:
    order = an_order([a_line("L1", 1000), a_line("L2", 500), a_line("L3", 70)])
    assert entitled(a_promotion().rule, order, ("L1", "L3")) == (Decimal(1070), 53)
    assert entitled(a_promotion().rule, order, None) == (Decimal(1570), 78)


def test_a_return_without_an_amount_takes_its_share_of_the_line() -> None:
    order = an_order([a_line("L1", 900, quantity=3)])
    assert kept(order, a_return([ReturnedLine("L1", 1)])) == 600


def test_three_returns_of_one_of_three_pieces_leave_exactly_nothing() -> None:
    order = an_order([a_line("L1", 1000, quantity=3)])
    one = a_return([ReturnedLine("L1", 1)])
    assert str(kept(order, one)) == "666.6666666666666666666666667"
    assert kept(order, one, one, one) == 0


def test_a_line_whose_every_piece_came_back_is_not_kept_whatever_was_paid_back() -> None:
    order = an_order([a_line("L1", 1000, quantity=2)])
    assert kept(order, a_return([ReturnedLine("L1", 2, Decimal(1))])) == 0
    assert kept(order, *2 * [a_return([ReturnedLine("L1", 1, Decimal(0))])]) == 0


def test_no_more_comes_back_of_a_line_than_was_paid_for_it() -> None:
    order = an_order([a_line("L1", 1000, quantity=2), a_line("L2", 70)])
    assert kept(order, a_return([ReturnedLine("L1", 1, Decimal(5000))])) == 70
    assert kept(order, a_return([ReturnedLine("L1", 9)])) == 70


def test_a_cancelled_order_keeps_nothing() -> None:
    assert kept(an_order(3), a_return("all")) == 0


def test_a_return_below_the_least_sum_takes_everything() -> None:
    rule = a_promotion(LoyaltyPoints(points=30), min_amount=Decimal(1000)).rule
    order = with_returns(an_order([a_line("L1", 1000, quantity=10)]), a_return([ReturnedLine("L1", 1)]))
    assert entitled(rule, order, None) == (Decimal(900), 0)


def test_points_the_wallet_could_not_give_are_not_asked_for_again() -> None:
    row = a_reward("Reward", points=50, recycle_points=10, shortfall=40)
    assert to_reclaim(row, with_returns(a_paid_order(), a_return("all"))) == 0


def test_a_recycle_repeated_finds_nothing_to_take() -> None:
    row = a_reward("Reward", points=50, recycle_points=50)
    assert to_reclaim(row, with_returns(a_paid_order(), a_return("all"))) == 0


def test_a_member_who_was_granted_less_than_is_earned_owes_nothing() -> None:
    assert to_reclaim(a_reward("Reward", points=10), a_paid_order()) == 0
