"""Whatever comes back, in whatever pieces and order: what is earned only falls, and all that was granted is taken."""

from decimal import Decimal
from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rewards.entitlement import entitled, to_reclaim
from rewards.order import Line, Return, ReturnedLine
from rewards.promotion import Benefit, ECoupon, LoyaltyPoints, Rule, Tier
from tests.builders import a_line, a_paid_order, a_promotion, a_return, a_reward, an_order, tiers, with_returns

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
coupons = st.builds(
    lambda steps: ECoupon("T", tiers=tuple(Tier(Decimal(100 * n), quantity=q) for n, q in enumerate(sorted(steps)))),
    st.lists(st.integers(0, 50), min_size=1, max_size=5),
)
rewards = (
    coupons
    | st.builds(
        LoyaltyPoints,
        rate=rates,
        rounding=st.sampled_from(["floor", "half_up", "ceil"]),
        max_points=st.none() | st.integers(0, 500),
    )
    | st.builds(
        lambda steps: tiers(*((100 * n, n * step) for n, step in enumerate(sorted(steps)))),
        st.lists(st.integers(0, 100), min_size=1, max_size=5),
    )
)
rules = st.builds(lambda reward, least: a_promotion(reward, min_amount=least).rule, rewards, amounts)


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


def recycled(reward: Benefit, lines: tuple[Line, ...], told: list[Return], collected: int = 100) -> list[int]:
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
    reward: Benefit, lines: tuple[Line, ...], collected: int
) -> None:
    one_by_one = [a_return([ReturnedLine(line.line, 1)]) for line in lines for _ in range(line.quantity)]
    granted = entitled(a_promotion(reward).rule, an_order(lines), None).points
    assert sum(recycled(reward, lines, one_by_one, collected)) == granted
    assert sum(recycled(reward, lines, one_by_one[::-1], collected)) == granted
    assert recycled(reward, lines, [a_return("all")], collected) == [granted]


@given(rewards, lines, st.lists(returns, max_size=5))
def test_what_is_taken_never_passes_what_was_granted_and_is_never_given_back(
    reward: Benefit, lines: tuple[Line, ...], told: list[Return]
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
