"""What `rewards dispatch` says of a run: the rewards that were due before it, compared with what they are after it."""

from typing import Any

from ops.dispatch import compared
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
