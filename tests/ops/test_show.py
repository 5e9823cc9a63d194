"""`rewards show`: an order in words, and for programs."""

from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from msgspec import structs

from ops.orders import Shown
from ops.show import (
    amounts,
    coupons,
    decision_lines,
    for_programs,
    history_lines,
    kept_lines,
    money,
    piece,
    reward_lines,
    undecided_lines,
)
from rewards.order import Return, ReturnedLine
from rewards.reward import Reward
from tests.builders import NOW, a_change, a_paid_order, a_reward, an_order

NAMES = {"28343": "Spend and earn"}
TAIPEI = ZoneInfo("Asia/Taipei")


def test_a_line_that_nobody_ordered_is_pointed_out() -> None:
    order = a_paid_order()
    assert piece(ReturnedLine("L1", 1), order) == "1 of L1"
    assert piece(ReturnedLine("TS9", 2), order) == "2 of TS9 (no line of this order)"


def test_amounts_say_what_was_taken_back_and_what_could_not_be() -> None:
    assert amounts(a_reward(points=1500), "LoyaltyPoints") == "1,500 points"
    taken = a_reward("Reward", points=50, recycle_points=30, shortfall=20)
    assert amounts(taken, "LoyaltyPoints") == "50 points, 30 taken back, 20 could not be"
    assert amounts(taken, "ECoupon") == "50 coupons, 30 taken back, 20 could not be"
    assert amounts(a_reward(points=1), "ECoupon") == "1 coupon"


def test_a_paid_order_that_no_promotion_ran_for_says_so() -> None:
    (line,) = undecided_lines(a_paid_order(), TAIPEI)
    assert line == "\nNo promotion of shop 1 was running when it was ordered, 2026-11-03 12:00."
    assert [*undecided_lines(a_paid_order(decisions={"28343": "matched"}), TAIPEI)] == []
    assert [*undecided_lines(an_order(), TAIPEI)] == []


def test_every_coupon_is_shown_with_what_became_of_it() -> None:
    row = a_reward(codes=("A", "B", "C"), revoked_codes=("B",), used_codes=("C",), stock_outs=3)
    assert list(coupons(row)) == ["was out of stock 3 times", "A", "B, revoked", "C, used"]
    assert list(coupons(a_reward())) == []
    assert list(coupons(a_reward(stock_outs=1))) == ["was out of stock 1 time"]


@pytest.mark.parametrize(
    ("amount", "words"), [("860", "860.00"), ("860.00", "860.00"), ("1360.5", "1,360.50"), ("0.123456", "0.123456")]
)
def test_money_is_told_in_one_way_however_it_was_written(amount: str, words: str) -> None:
    assert money(Decimal(amount)) == words


def test_a_promotion_is_called_by_its_name_while_it_is_known() -> None:
    order = a_paid_order(decisions={"28343": "matched", "gone": "no"})
    shown = Shown(order, [a_reward()], [], NAMES)
    assert list(decision_lines(shown))[1:] == ["  Spend and earn (28343)  matched", "  gone  no"]
    heading, sums = reward_lines(shown, TAIPEI)
    assert heading == "\n[bold]Reward of Spend and earn (28343)[/]: WaitToReward, 50 points"
    assert sums == "  on 1,000.00; booked for 2026-11-10 02:00"


def a_shown(*rewards: Reward) -> list[str]:
    order = a_paid_order(returns={"R1": Return("all", NOW)})
    return list(kept_lines(Shown(order, list(rewards), [], NAMES)))


def test_after_a_return_the_sum_says_what_was_granted_what_was_taken_back_and_what_is_kept() -> None:
    back = a_reward("Reward", is_recycle=True, points=1500, recycle_points=1500)
    partly = a_reward("Reward", is_recycle=True, points=50, recycle_points=30, shortfall=20)
    coupons_of_it = a_reward("Reward", reward_type="ECoupon", points=2)
    assert a_shown(back, a_reward(points=7)) == [
        "",
        "[bold]The member keeps 0 points[/]: 1,500 granted − 1,500 taken back",
    ]
    _, points, coupons_kept = a_shown(back, partly, coupons_of_it)
    assert points.startswith("[bold]The member keeps 20 points[/]: 1,550 granted − 1,530 taken back; 20 more should")
    assert coupons_kept == "[bold]The member keeps 2 coupons[/]: 2 granted − 0 taken back"
    heading, *_ = reward_lines(Shown(a_paid_order(), [partly], [], NAMES), TAIPEI)
    assert heading.endswith(": Reward, 50 points, 30 taken back, 20 could not be, 20 kept")


def test_without_a_return_or_before_anything_was_granted_there_is_no_such_sum() -> None:
    granted = a_reward("Reward")
    assert list(kept_lines(Shown(a_paid_order(), [granted], [], NAMES))) == []
    assert a_shown(a_reward()) == []


def test_a_change_tells_what_is_held_then_who_changed_it_and_why() -> None:
    change = structs.replace(
        a_change(3, 0, "28343"), points=200, recycle_points=64, actor="withdraw", reason="returned"
    )
    shown = Shown(a_paid_order(), [a_reward(order_group="TG1")], [change], NAMES)
    assert list(history_lines(shown, TAIPEI)) == [
        "\n[bold]2026-11-10[/]",
        "  12:00:00  Spend and earn (28343)  WaitToReward, 200 points, 64 taken back · [dim]withdraw: returned[/]",
    ]


def test_a_change_that_left_a_reward_to_a_person_says_so() -> None:
    change = structs.replace(
        a_change(3, 0, "28343"), points=200, held="refused", actor="grant_points", reason="refused"
    )
    shown = Shown(a_paid_order(), [a_reward(order_group="TG1")], [change], NAMES)
    (line,) = [*history_lines(shown, TAIPEI)][1:]
    assert "WaitToReward, 200 points, held for a person · [dim]grant_points: refused[/]" in line


def test_programs_get_the_names_of_the_contract() -> None:
    shown = for_programs(Shown(a_paid_order(), [a_reward()], [a_change(1, 0)], NAMES))
    order, (reward,), (change,) = shown["order"], shown["rewards"], shown["history"]  # type: ignore[misc]
    assert {"shop_id", "order_group", "ordered_at"} <= order.keys()  # type: ignore[attr-defined]
    assert {"shop_id", "order_group", "promotion_id", "booking_time"} <= reward.keys()  # type: ignore[has-type]
    assert {"promotion_id", "version", "reason"} <= change.keys()  # type: ignore[has-type]
