"""Sweeping: whatever is overdue is sent again, oldest first, and never more than the queues can take."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from rewards.sweeping import BUSY_MESSAGES, StoodBack, Swept
from rewards.tasks import Task
from tests.rewards.overdue import FOUR_PM, GRACE, HOUR, SHARDS, Stack, a_member_of


@pytest.fixture
def stack() -> Stack:
    return Stack()


def test_a_row_is_overdue_when_its_slot_ended_more_than_the_grace_ago(stack: Stack) -> None:
    stack.add("TG1", FOUR_PM)
    stack.sweep(FOUR_PM + HOUR + GRACE - timedelta(seconds=1))
    assert stack.taken() == []
    stack.sweep(FOUR_PM + HOUR + GRACE)
    assert stack.taken() == ["TG1"]


def test_what_is_settled_is_not_swept_again_and_what_is_not_is(stack: Stack) -> None:
    settled, _ = stack.add("TG1", FOUR_PM), stack.add("TG2", FOUR_PM)
    stack.sweep(FOUR_PM + 2 * HOUR)
    assert stack.taken() == ["TG1", "TG2"]
    stack.settle(settled)
    stack.sweep(FOUR_PM + 2 * HOUR + timedelta(minutes=10))
    assert stack.taken() == ["TG2"]


def test_recycles_are_overdue_by_the_minute_and_go_to_their_own_queue(stack: Stack) -> None:
    at = FOUR_PM + timedelta(minutes=7)
    stack.add("TG1", at, kind="recycle")
    stack.sweep(at + GRACE, kind="recycle")
    assert stack.taken("recycle_points") == []
    stack.sweep(at + GRACE + timedelta(minutes=1), kind="recycle")
    assert stack.taken("recycle_points") == ["TG1"]
    assert stack.taken() == []


def test_a_row_of_weeks_ago_is_found_by_the_first_sweep_there_is(stack: Stack) -> None:
    stack.add("TG1", FOUR_PM - timedelta(days=30))
    stack.sweep(FOUR_PM)
    assert stack.taken() == ["TG1"]


def test_a_run_sends_no_more_than_its_limit_and_the_oldest_of_each_shard_first(stack: Stack) -> None:
    hours = {f"TG{number:03}": FOUR_PM - number % 5 * HOUR for number in range(100)}
    for number, (order_group, at) in enumerate(hours.items()):
        stack.add(order_group, at, member_id=f"M{number}")
    shard = {id.order_group: row.due.partition for id, row in stack.ledger.rows.items() if row.due}
    assert stack.sweep(FOUR_PM + 2 * HOUR, limit=40) == Swept("reward", 40, date(2026, 12, 1), waited=5 * HOUR)
    sent = stack.taken()
    assert len(sent) == 40
    for partition in set(shard.values()):
        mine = [hours[order] for order in sent if shard[order] == partition]
        left = [at for order, at in hours.items() if shard[order] == partition and order not in sent]
        assert max(mine) <= min(left)


def test_a_shard_full_of_rows_that_are_stuck_does_not_keep_the_others_waiting(stack: Stack) -> None:
    for number in range(100):
        stack.add(f"STUCK{number}", FOUR_PM - timedelta(days=1), member_id=a_member_of(shard=0))
    stack.add("TG1", FOUR_PM, member_id=a_member_of(shard=1))
    stack.sweep(FOUR_PM + 2 * HOUR, limit=20)
    assert "TG1" in stack.taken()


def test_a_group_over_the_limit_is_cut_and_its_oldest_orders_go_first(stack: Stack) -> None:
    for number in range(60):
        stack.add(f"TG{number:02}", FOUR_PM)
    assert stack.sweep(FOUR_PM + 2 * HOUR, limit=50) != StoodBack("reward")
    taken = stack.taken()
    assert 0 < len(taken) <= 50
    assert taken == [f"TG{number:02}" for number in range(len(taken))]


def test_a_queue_that_is_busy_is_sent_nothing_however_often_the_sweep_runs(stack: Stack) -> None:
    for number in range(BUSY_MESSAGES + 50):
        stack.add(f"TG{number:03}", FOUR_PM + number % 2 * timedelta(days=-1), member_id=f"M{number}")
    for queue in ("grant_points_low", "grant_coupon_low"):
        stack.queues(queue).send([Task()] * BUSY_MESSAGES)
    for minutes in range(0, 60, 10):
        assert stack.sweep(FOUR_PM + 2 * HOUR + timedelta(minutes=minutes)) == StoodBack("reward")
    assert stack.queues("grant_points_low").depth() == BUSY_MESSAGES
    assert stack.control.oldest("reward") is None


def test_a_busy_queue_of_one_reward_type_does_not_hold_back_the_other(stack: Stack) -> None:
    stack.add("points", FOUR_PM)
    stack.add("coupon", FOUR_PM, reward_type="ECoupon")
    stack.queues("grant_points_low").send([Task()] * BUSY_MESSAGES)
    assert stack.sweep(FOUR_PM + 2 * HOUR) == Swept("reward", 1, FOUR_PM.date(), waited=HOUR)
    assert stack.taken("grant_coupon_low") == ["coupon"]
    assert stack.queues("grant_points_low").depth() == BUSY_MESSAGES


def test_a_backlog_that_nobody_works_on_stops_growing(stack: Stack) -> None:
    for number in range(5_000):
        stack.add(f"TG{number:04}", FOUR_PM, member_id=f"M{number}")
    depths = []
    for run in range(20):
        stack.sweep(FOUR_PM + 2 * HOUR + run * timedelta(minutes=10))
        depths.append(stack.queues("grant_points_low").depth())
    assert depths[-1] == depths[-10]
    assert depths[-1] < BUSY_MESSAGES + 1_000 / 25 + SHARDS


def test_a_busy_queue_of_one_kind_does_not_hold_back_the_other(stack: Stack) -> None:
    stack.add("TG1", FOUR_PM, kind="recycle")
    stack.queues("grant_points_low").send([Task()] * BUSY_MESSAGES)
    stack.sweep(FOUR_PM + 2 * HOUR, kind="recycle")
    assert stack.taken("recycle_points") == ["TG1"]


def test_the_oldest_date_moves_on_when_every_shard_of_the_dates_before_is_empty(stack: Stack) -> None:
    first, second = stack.add("TG1", FOUR_PM - timedelta(days=3)), stack.add("TG2", FOUR_PM - timedelta(days=1))
    stack.sweep(FOUR_PM)
    assert stack.control.oldest("reward") == date(2026, 11, 28)
    stack.settle(first)
    stack.sweep(FOUR_PM)
    assert stack.control.oldest("reward") == date(2026, 11, 30)
    stack.settle(second)
    stack.sweep(FOUR_PM)
    assert stack.control.oldest("reward") == date(2026, 12, 1)


def test_a_date_stays_the_oldest_for_an_hour_after_the_sweep_began_on_its_last_slot_for_rows_that_show_up_late(
    stack: Stack,
) -> None:
    midnight = datetime(2026, 12, 2, tzinfo=UTC)
    stack.sweep(midnight + GRACE + HOUR - timedelta(seconds=1))
    assert stack.control.oldest("reward") == date(2026, 12, 1)
    stack.add("TG1", midnight - timedelta(minutes=1))
    stack.sweep(midnight + GRACE + HOUR)
    assert stack.taken() == ["TG1"]
    assert stack.control.oldest("reward") == date(2026, 12, 1)


def test_a_limit_smaller_than_the_shards_never_takes_a_date_for_empty(stack: Stack) -> None:
    rows = [stack.add(f"TG{number}", FOUR_PM - timedelta(days=5), member_id=f"M{number}") for number in range(50)]
    for _ in range(100):
        stack.sweep(FOUR_PM, limit=1)
        for order_group in stack.taken():
            stack.settle(next(row for row in rows if row.id.order_group == order_group))
    assert not [row for row in stack.ledger.rows.values() if row.due]


def test_a_type_without_a_queue_uses_up_no_limit_and_keeps_its_date_the_oldest(stack: Stack) -> None:
    for number in range(50):
        row = stack.add(f"NEWER{number:02}", FOUR_PM - timedelta(days=1))
        stack.ledger.rows[row.id] = replace(row, reward_type="Newer")  # type: ignore[arg-type]
    stack.add("TG1", FOUR_PM)
    stack.sweep(FOUR_PM + 2 * HOUR, limit=SHARDS)
    assert stack.taken() == ["TG1"]
    assert stack.control.oldest("reward") == date(2026, 11, 30)


def waited(stack: Stack, now: datetime, **how: Any) -> timedelta:
    swept = stack.sweep(now, **how)
    assert isinstance(swept, Swept)
    return swept.waited


def test_it_tells_how_long_ago_the_slot_of_the_oldest_ended(stack: Stack) -> None:
    now = FOUR_PM + 5 * HOUR
    oldest = stack.add("TG1", FOUR_PM, member_id=a_member_of(shard=3))
    for shard in range(SHARDS - 1):
        stack.add(f"LATER{shard}", FOUR_PM + (shard + 1) * HOUR, member_id=a_member_of(shard=shard))
    stack.add("recycled", FOUR_PM + timedelta(minutes=29), kind="recycle")
    assert waited(stack, now) == 4 * HOUR
    assert waited(stack, now, kind="recycle") == 4 * HOUR + timedelta(minutes=30)
    stack.settle(oldest)
    assert waited(stack, now) == 3 * HOUR


def test_nothing_has_waited_where_nothing_is_overdue(stack: Stack) -> None:
    stack.add("TG1", FOUR_PM + HOUR)
    assert waited(stack, FOUR_PM + HOUR + GRACE) == timedelta()


def test_the_oldest_is_told_though_its_queue_is_busy_or_its_provider_shut(stack: Stack) -> None:
    stack.add("points", FOUR_PM)
    stack.add("coupon", FOUR_PM + HOUR, reward_type="ECoupon")
    stack.queues("grant_points_low").send([Task()] * BUSY_MESSAGES)
    assert waited(stack, FOUR_PM + 4 * HOUR) == 3 * HOUR
    stack.shut = {"ECoupon"}
    assert waited(stack, FOUR_PM + 4 * HOUR) == 3 * HOUR


def test_an_oldest_whose_slot_nobody_can_read_is_as_old_as_its_date(stack: Stack) -> None:
    row = stack.add("TG1", FOUR_PM)
    assert row.due
    spoilt = row.due._replace(sort=row.due.sort.replace("T16:00Z", "T16:0?Z"))
    stack.ledger.rows[row.id] = replace(row, due=spoilt)
    assert waited(stack, FOUR_PM + 2 * HOUR) == 17 * HOUR


def test_rows_that_nobody_can_read_use_up_no_limit_and_are_told_of(stack: Stack) -> None:
    spoilt = [stack.add(f"BAD{number}", FOUR_PM) for number in range(10)]
    for row in spoilt:
        assert row.due
        stack.ledger.rows[row.id] = replace(row, due=row.due._replace(sort=f"2026-12-01T15:00Z#{row.id.order_group}"))
    stack.add("TG1", FOUR_PM)
    for shut in (set[str](), {"LoyaltyPoints"}):
        stack.shut = shut
        swept = stack.sweep(FOUR_PM + 2 * HOUR, limit=4)
        assert isinstance(swept, Swept)
        assert len(swept.unreadable) == 10
        assert stack.taken() == ["TG1"]
