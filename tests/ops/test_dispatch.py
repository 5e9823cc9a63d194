"""What `rewards dispatch` says of a run: the rewards that were due before it, compared with what they are after it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import typer

from ops.dispatch import compared, problem_of, remark_on, time_of, words
from rewards.reward import Reward
from tests.builders import NOW, a_reward


def was_and_is(was: Reward, **fields: Any) -> tuple[Reward, Reward]:
    return was, was.change("", by="", at=NOW, **fields)


def test_points_and_coupons_are_counted_apart() -> None:
    granted = {"status": "Reward", "is_reward": True, "due": None}
    back = {"recycle_seq": 1, "due": None}
    rewards = [
        was_and_is(a_reward(order_group="1", points=50), **granted),
        was_and_is(a_reward(order_group="2", points=2, reward_type="ECoupon"), **granted),
        was_and_is(a_reward("Reward", order_group="3", points=50, is_reward=True), **back, recycle_points=20),
        was_and_is(
            a_reward("Reward", order_group="4", points=2, reward_type="ECoupon", is_reward=True),
            **back, recycle_points=1,
        ),
        was_and_is(a_reward(order_group="5")),
    ]  # fmt: skip
    done = compared(NOW, {was.id: was for was, _ in rewards}, {now.id: now for _, now in rewards})
    assert (done.due, done.granted, done.recycled, done.waiting) == (5, 2, 2, 1)
    assert (done.granted_points, done.granted_coupons) == (50, 2)
    assert (done.recycled_points, done.recycled_coupons) == (20, 1)


def test_one_is_one_and_more_are_many() -> None:
    granted = {"status": "Reward", "is_reward": True, "due": None}
    was, now = was_and_is(a_reward(points=1), **granted)
    done = words(compared(NOW, {was.id: was}, {now.id: now}))
    assert done.startswith("1 reward was due: 1 granted (1 point, 0 coupons), 0 taken back (0 points, 0 coupons), ")


class ACloud:
    """Stands for a stack: where it is, and the shop's zone."""

    def __init__(self, embedded: bool = True) -> None:
        self.embedded = embedded
        self.zone = ZoneInfo("Asia/Taipei")


CLOCK = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.mark.parametrize(("days", "can_be"), [(-400, True), (0, True), (62, True), (63, False), (13_000, False)])
def test_the_clock_jumps_two_months_at_most(days: int, can_be: bool) -> None:
    cloud: Any = ACloud()
    problem = problem_of(CLOCK + timedelta(days=days), cloud, now=CLOCK)
    assert (problem is None) == can_be
    assert can_be or f"{days:,} days ahead" in str(problem)
    assert can_be or "2026-11-18 08:00" in str(problem)


def test_the_clock_that_does_not_go_back_is_told_of() -> None:
    cloud: Any = ACloud()
    assert remark_on(CLOCK - timedelta(seconds=1), cloud, now=CLOCK) == (
        "The cloud's clock stays at 2026-11-18 08:00: it does not go back."
    )
    assert remark_on(CLOCK, cloud, now=CLOCK) is None
    on_aws: Any = ACloud(embedded=False)
    assert remark_on(CLOCK - timedelta(days=1), on_aws, now=CLOCK) is None


def test_on_aws_time_cannot_be_moved() -> None:
    on_aws: Any = ACloud(embedded=False)
    assert "on AWS" in str(problem_of(CLOCK + timedelta(days=1), on_aws, now=CLOCK))
    assert problem_of(CLOCK - timedelta(days=1), on_aws, now=CLOCK) is None


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-08:00", "2200-01-01T00:00:00Z"])
def test_a_year_without_trade_is_misuse(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        time_of(text)
