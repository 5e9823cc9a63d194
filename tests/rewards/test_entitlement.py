from decimal import Decimal
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rewards.entitlement import entitled, to_reclaim
from rewards.order import Line, Order, Return, ReturnedLine
from rewards.promotion import LoyaltyPoints, Rounding, Rule
from tests.builders import a_line, a_paid_order, a_promotion, a_return, a_reward, an_order, tiers

amounts = st.decimals(0, 10_000, places=2)
lines = st.lists(
    st.builds(lambda amount, quantity: (amount, quantity), amounts, st.integers(1, 5)), min_size=1, max_size=5
).map(lambda made: tuple(a_line(f"L{n}", amount, quantity=quantity) for n, (amount, quantity) in enumerate(made)))
returned_lines = st.builds(
    ReturnedLine,
    line=st.sampled_from(["L0", "L1", "L2", "L3", "L4", "unknown"]),
    quantity=st.integers(1, 6),
    amount=st.none() | amounts,
)
returns = st.builds(lambda told: a_return(told), st.lists(returned_lines, max_size=4)) | st.just(a_return("all"))
rates = st.decimals(0, 2, places=4)
rewards = st.builds(
    LoyaltyPoints,
    rate=rates,
    rounding=st.sampled_from(["floor", "half_up", "ceil"]),
    max_points=st.none() | st.integers(0, 500),
) | st.builds(
    lambda steps: tiers(*((100 * n, n * step) for n, step in enumerate(sorted(steps)))),
    st.lists(st.integers(0, 100), min_size=1, max_size=5),
)
rules = st.builds(lambda reward, least: a_promotion(reward, min_amount=least).rule, rewards, amounts)


def points(reward: LoyaltyPoints, amount: str, *, min_amount: str = "0") -> int:
    rule = a_promotion(reward, min_amount=Decimal(min_amount)).rule
    return entitled(rule, an_order([a_line(amount=amount)]), None).points


def with_returns(order: Order, *told: Return) -> Order:
    return replace(order, returns={f"R{number}": each for number, each in enumerate(told)})


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


@given(rules, lines, st.lists(returns, max_size=4), returns)
def test_another_return_never_raises_what_is_earned(
    rule: Rule, lines: tuple[Line, ...], told: list[Return], more: Return
) -> None:
    before = entitled(rule, with_returns(an_order(lines), *told), None)
    after = entitled(rule, with_returns(an_order(lines), *told, more), None)
    assert 0 <= after.points <= before.points
    assert 0 <= after.base_amount <= before.base_amount


@given(rules, lines, st.lists(returns, max_size=5), st.randoms())
def test_the_order_of_returns_does_not_matter(
    rule: Rule, lines: tuple[Line, ...], told: list[Return], random: Random
) -> None:
    shuffled = list(told)
    random.shuffle(shuffled)
    order = an_order(lines)
    assert entitled(rule, with_returns(order, *told), None) == entitled(rule, with_returns(order, *shuffled), None)


@given(rules, lines, st.lists(returns, max_size=3))
def test_a_return_of_lines_nobody_ordered_changes_nothing(
    rule: Rule, lines: tuple[Line, ...], told: list[Return]
) -> None:
    unknown = a_return([ReturnedLine("nobody's", 3, Decimal(500))])
    order = an_order(lines)
    assert entitled(rule, with_returns(order, *told, unknown), None) == entitled(rule, with_returns(order, *told), None)


@given(rules, lines, st.lists(returns, max_size=4))
def test_what_is_kept_is_never_more_than_was_paid_and_nothing_kept_earns_nothing(
    rule: Rule, lines: tuple[Line, ...], told: list[Return]
) -> None:
    base, points = entitled(rule, with_returns(an_order(lines), *told), None)
    assert 0 <= base <= sum(line.amount for line in lines)
    assert base > 0 or points == 0


def recycled(reward: LoyaltyPoints, lines: tuple[Line, ...], told: list[Return], collected: int = 100) -> list[int]:
    """What each return in turn takes back, of which the wallet gives `collected` %."""
    rule = a_promotion(reward).rule
    order = a_paid_order(lines)
    row = a_reward("Reward", rule=rule, points=entitled(rule, order, None).points)
    taken = []
    for number in range(1, len(told) + 1):
        amount = to_reclaim(row, with_returns(order, *told[:number]))
        paid = amount * collected // 100
        row = replace(row, recycle_points=row.recycle_points + paid, shortfall=row.shortfall + amount - paid)
        taken.append(amount)
    return taken


@given(rewards, lines, st.integers(0, 100))
def test_however_many_pieces_come_back_one_by_one_all_that_was_granted_is_taken(
    reward: LoyaltyPoints, lines: tuple[Line, ...], collected: int
) -> None:
    one_by_one = [a_return([ReturnedLine(line.line, 1)]) for line in lines for _ in range(line.quantity)]
    granted = entitled(a_promotion(reward).rule, an_order(lines), None).points
    assert sum(recycled(reward, lines, one_by_one, collected)) == granted
    assert sum(recycled(reward, lines, one_by_one[::-1], collected)) == granted
    assert recycled(reward, lines, [a_return("all")], collected) == [granted]


@given(rewards, lines, st.lists(returns, max_size=5))
def test_what_is_taken_never_passes_what_was_granted_and_is_never_given_back(
    reward: LoyaltyPoints, lines: tuple[Line, ...], told: list[Return]
) -> None:
    taken = recycled(reward, lines, told)
    assert all(amount >= 0 for amount in taken)
    assert sum(taken) <= entitled(a_promotion(reward).rule, an_order(lines), None).points


def test_the_same_three_returns_take_the_same_in_every_order() -> None:
    ordered = (a_line("L1", 1000, quantity=3), a_line("L2", 333))
    told = [a_return([ReturnedLine("L1", 1)]), a_return([ReturnedLine("L1", 1, Decimal(17))]), a_return("all")]
    assert {sum(recycled(LoyaltyPoints(rate=Decimal("0.07")), ordered, list(way))) for way in permutations(told)} == {
        93
    }


def test_points_the_wallet_could_not_give_are_not_asked_for_again() -> None:
    row = a_reward("Reward", points=50, recycle_points=10, shortfall=40)
    assert to_reclaim(row, with_returns(a_paid_order(), a_return("all"))) == 0


def test_a_recycle_repeated_finds_nothing_to_take() -> None:
    row = a_reward("Reward", points=50, recycle_points=50)
    assert to_reclaim(row, with_returns(a_paid_order(), a_return("all"))) == 0
