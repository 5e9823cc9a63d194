"""Routing: each reward goes to the queue that workers of its type drain."""

from rewards.routing import AT_ONCE, LOOKED_FOR, RECYCLES, RewardQueue
from tests.builders import a_reward
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueues, rewards_in

POINTS, COUPON = a_reward(promotion_id="points"), a_reward(promotion_id="coupon", reward_type="ECoupon")


def test_each_reward_goes_to_the_queue_of_its_type_as_a_message_of_its_own() -> None:
    queues = MemoryQueues()
    RewardQueue(AT_ONCE, queues).send([POINTS, COUPON, POINTS])
    assert rewards_in(queues("grant_points_high").waiting, MemoryLists()) == [POINTS.id, POINTS.id]
    assert rewards_in(queues("grant_coupon_high").waiting, MemoryLists()) == [COUPON.id]
    assert len(queues("grant_points_high").waiting) == 2


def test_only_the_queues_of_the_types_there_are_are_asked_for() -> None:
    asked = []
    RewardQueue(RECYCLES, lambda name: asked.append(name) or MemoryQueues()(name)).send([COUPON])
    assert asked == ["recycle_coupon"]


def test_every_type_has_a_queue_wherever_rewards_go() -> None:
    assert AT_ONCE.keys() == RECYCLES.keys() == LOOKED_FOR["reward"].keys() == LOOKED_FOR["recycle"].keys()
