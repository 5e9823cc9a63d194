"""Sweeping while a breaker is open: a few rewards now and then, to find out when the provider is back."""

from datetime import date, timedelta

import pytest

from rewards.sweeping import BUSY_MESSAGES, PROBES, PROBING, Swept
from rewards.tasks import Task
from tests.rewards.overdue import FOUR_PM, HOUR, SHARDS, Stack, a_member_of


@pytest.fixture
def stack() -> Stack:
    return Stack()


def test_a_provider_whose_breaker_is_open_is_sent_ten_rewards_a_run_each_in_a_message_of_its_own(stack: Stack) -> None:
    for number in range(2_000):
        stack.add(f"TG{number:04}", FOUR_PM, member_id=f"M{number}")
    stack.shut = {"LoyaltyPoints"}
    assert stack.sweep(FOUR_PM + 2 * HOUR) == Swept("reward", PROBES, date(2026, 12, 1), waited=HOUR)
    queue = stack.queues("grant_points_low")
    assert (queue.depth(), queue.spans) == (PROBES, [PROBING])
    assert len(set(stack.taken())) == PROBES == 10


def test_probes_come_from_all_over_what_is_overdue_since_the_oldest_may_fail_by_themselves(stack: Stack) -> None:
    for number in range(100):
        stack.add(f"FAILS{number}", FOUR_PM - timedelta(days=2), member_id=a_member_of(shard=number % SHARDS))
        stack.add(f"TG{number}", FOUR_PM, member_id=a_member_of(shard=number % SHARDS))
    stack.shut = {"LoyaltyPoints"}
    stack.sweep(FOUR_PM + 2 * HOUR)
    taken = stack.taken()
    assert 0 < len([order for order in taken if order.startswith("TG")]) < len(taken)


def test_an_open_breaker_holds_back_its_own_rewards_only(stack: Stack) -> None:
    for number in range(50):
        stack.add(f"TG{number}", FOUR_PM - timedelta(days=1))
        stack.add(f"COUPON{number}", FOUR_PM, reward_type="ECoupon")
    stack.shut = {"LoyaltyPoints"}
    stack.sweep(FOUR_PM + 2 * HOUR, limit=50 * SHARDS)
    assert len(stack.taken()) == PROBES
    assert len(stack.taken("grant_coupon_low")) == 50
    assert stack.control.oldest("reward") == date(2026, 11, 30)


def test_fewer_rows_than_probes_are_all_sent_and_none_means_no_message(stack: Stack) -> None:
    stack.shut = {"LoyaltyPoints", "ECoupon"}
    assert stack.sweep(FOUR_PM + 2 * HOUR) == Swept("reward", 0, date(2026, 12, 1))
    stack.add("TG1", FOUR_PM)
    stack.sweep(FOUR_PM + 2 * HOUR)
    assert stack.taken() == ["TG1"]


def test_a_busy_queue_gets_no_probes_either_since_what_it_holds_will_probe(stack: Stack) -> None:
    stack.add("TG1", FOUR_PM)
    stack.shut = {"LoyaltyPoints"}
    stack.queues("grant_points_low").send([Task()] * BUSY_MESSAGES)
    stack.sweep(FOUR_PM + 2 * HOUR)
    assert stack.queues("grant_points_low").depth() == BUSY_MESSAGES
