"""A provider that is away for hours: nothing is lost, nothing is parked, and hardly anybody calls it meanwhile."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

from rewards.breaker import FAILURES_IN_A_ROW, PROBE_EVERY
from rewards.promotion import ECoupon
from rewards.provider import NotNow, Unknown
from rewards.reward import Reward, RewardId
from rewards.status import Status
from tests.builders import a_promotion
from tests.fakes.stack import HOUR, Fails, Stack

SEVEN = datetime(2026, 11, 9, 19, tzinfo=UTC)
A_SWEEP = timedelta(minutes=10)
NO_ANSWER = Unknown("timeout")


def away(hours: float, answer: NotNow | Unknown = NO_ANSWER) -> Fails:
    return lambda at, _: answer if SEVEN <= at < SEVEN + hours * HOUR else None


def a_stack(fails: Fails, *, owes: int, sweep_limit: int = 10_000) -> Stack:
    """It owes so many rewards, which are planned at a minute past seven."""
    stack = Stack(SEVEN - HOUR, fails, sweep_limit=sweep_limit)
    stack.owe(owes, SEVEN - HOUR)
    return stack


def granted(rows: Iterable[Reward]) -> list[Reward]:
    return [row for row in rows if row.status is Status.REWARD]


def test_an_outage_of_eight_hours_loses_nothing_parks_nothing_and_costs_some_hundred_calls_and_messages() -> None:
    """As counted here: 455 calls and 550 messages, delivered 990 times; `bench/outage.py` shows other lengths."""
    stack, back = a_stack(away(hours=8), owes=2_000), SEVEN + 8 * HOUR
    stack.run(back - timedelta(seconds=1))
    queue = stack.queue("grant_points_low")
    assert granted(stack.rows()) == []
    assert 8 * HOUR / A_SWEEP <= len(stack.points.calls) < 600
    assert queue.sent < 700
    assert queue.received < 1_500
    assert stack.breakers.writes < 600
    untouched = [row for row in stack.rows() if row.version == 1]
    assert len(untouched) > 1_900

    stack.run(back + 2 * A_SWEEP)
    assert len(granted(stack.rows())) == len(stack.points.entries) == 2_000
    assert set(stack.points.balances.values()) == {50}
    assert [row for row in stack.rows() if row.held or row.due] == []
    assert stack.queue("grant_points_low").depth() == 0


def test_what_the_other_provider_gives_is_given_on_time() -> None:
    stack = a_stack(away(hours=8), owes=100)
    stack.coupons.add_stock("1", "T1", 100)
    coupons = stack.owe(
        100, SEVEN - HOUR, reward_type="ECoupon", rule=a_promotion(ECoupon("T1", quantity=1)).rule, points=1
    )
    stack.run(SEVEN + 2 * A_SWEEP)
    assert [row.id for row in granted(stack.rows())] == [row.id for row in coupons]
    stack.run(SEVEN + 9 * HOUR)
    assert len(granted(stack.rows())) == 200


def test_the_backlog_of_an_outage_is_sent_at_the_pace_of_the_sweep() -> None:
    stack, back = a_stack(away(hours=8), owes=3_000, sweep_limit=1_000), SEVEN + 8 * HOUR
    done = []
    for sweeps in range(6):
        stack.run(back + sweeps * A_SWEEP)
        done.append(len(granted(stack.rows())))
    assert done[0] < 10, "what is granted before the first sweep after the outage is the probes"
    assert max(later - before for before, later in pairwise(done)) <= 1_000 + 10
    assert done[4] == 3_000


def test_what_was_tried_for_three_days_is_held_for_a_person_and_what_was_not_is_granted_after_the_outage() -> None:
    stack = a_stack(away(hours=80), owes=100)
    stack.run(SEVEN + 72 * HOUR)
    assert not [row for row in stack.rows() if row.held]
    stack.run(SEVEN + 81 * HOUR)
    held = [row for row in stack.rows() if row.held]
    assert {row.held.kind for row in held if row.held} == {"exhausted"}
    assert not [row for row in held if row.due]
    assert 0 < len(held) < 40
    assert len(granted(stack.rows())) == 100 - len(held)


def test_a_single_reward_is_held_after_three_days_without_an_answer() -> None:
    stack = a_stack(away(hours=80), owes=1)
    stack.run(SEVEN + 72 * HOUR)
    (row,) = stack.rows()
    assert row.due
    stack.run(SEVEN + 73 * HOUR)
    (row,) = stack.rows()
    assert row.held
    assert row.held.kind == "exhausted"


def test_nobody_calls_before_a_retry_after_is_over() -> None:
    wait = NotNow("429", retry_after=3 * HOUR)
    stack = a_stack(away(hours=1, answer=wait), owes=500)
    stack.run(SEVEN + 4 * HOUR)
    first, second, *_ = stack.points.calls
    assert second - first >= 3 * HOUR
    assert len(granted(stack.rows())) == 500


def test_a_provider_that_is_too_busy_for_every_other_call_stays_in_use() -> None:
    coin = Random(28343)
    stack = a_stack(lambda *_: NotNow("429", timedelta(seconds=1)) if coin.random() < 0.5 else None, owes=2_000)
    stack.run(SEVEN + HOUR / 4)
    assert len(granted(stack.rows())) > 1_800
    assert stack.breakers.breaker("points").opened_at is None
    stack.run(SEVEN + HOUR)
    assert len(granted(stack.rows())) == 2_000
    assert len(stack.points.calls) < 2 * 2_000 * 1.2


def test_rewards_that_never_succeed_do_not_stop_the_others_for_long() -> None:
    """They may open the breaker once. Then they are known to fail, and say nothing of the provider any more."""
    stack = Stack(SEVEN - HOUR, lambda _, member: NO_ANSWER if member.shop_id == "closed" else None)
    for number in range(3 * FAILURES_IN_A_ROW):
        stack.owe(1, SEVEN - HOUR, id=RewardId("closed", f"TG{number}", "28343"))
    hours = [stack.owe(200, SEVEN + hour * HOUR) for hour in range(4)]
    stack.run(SEVEN + 2 * HOUR)
    assert len(granted(stack.rows())) < 200
    for hour, owed in enumerate(hours[1:], start=1):
        stack.run(SEVEN + (hour + 1) * HOUR + HOUR / 10)
        assert len(granted(stack.ledger.rows[row.id] for row in owed)) == 200
    assert not [row for row in stack.rows() if row.held]


def test_probes_keep_their_distance() -> None:
    stack = a_stack(away(hours=8), owes=200)
    stack.run(SEVEN + 8 * HOUR)
    probes = stack.points.calls[FAILURES_IN_A_ROW:]
    assert min(later - before for before, later in pairwise(probes)) >= PROBE_EVERY
