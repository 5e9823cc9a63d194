"""The guard: who may call, what it costs to ask, and what a worker finds out that another one did."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from rewards.breaker import FAILURES_IN_A_ROW, PROBE_EVERY, Breaker
from rewards.claiming import Claim
from rewards.guard import Guard
from rewards.outcomes import BreakerOpen, Granted, OfReward, Unsettled
from rewards.provider import Done, NotNow, Refused, Unknown
from rewards.reward import Lock, Reward, RewardId
from tests.builders import a_reward
from tests.fakes.breakers import MemoryBreakers
from tests.fakes.world import World

NOW = datetime(2026, 12, 1, 16, tzinfo=UTC)
NO_ANSWER = Unknown("timeout")
Answer = Done | Refused | NotNow | Unknown


class Calls:
    """Invocations of a step whose provider answers what it is told to; each row it works is one call."""

    def __init__(self) -> None:
        self.now = NOW
        self.breakers = MemoryBreakers()
        self.answer: Answer | Exception = Done(50)
        self.made = 0

    def invocation(self) -> Callable[[Reward], OfReward]:
        guard = Guard("points", self.breakers, lambda: self.now)
        call = guard.telling(self._call)

        def work(row: Reward) -> OfReward:
            @guard.heeding
            def one(id: RewardId) -> OfReward:
                claim = Claim(
                    row, Lock("token", NOW, "grant", "key", 50), World().worker("grant_points"), is_first=True
                )
                answer = call(claim)
                return Granted(id, 50) if isinstance(answer, Done) else Unsettled(id, "timeout")

            return one(row.id)

        return work

    def open(self) -> None:
        self.answer, work = NO_ANSWER, self.invocation()
        for _ in range(FAILURES_IN_A_ROW):
            work(ROW)
        self.made = self.breakers.reads = self.breakers.writes = 0

    def _call(self, _: Claim) -> Answer:
        self.made += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


ROW = a_reward()
STOOD_BACK = BreakerOpen(ROW.id)


@pytest.fixture
def calls() -> Calls:
    return Calls()


def test_a_provider_that_is_well_costs_a_read_an_invocation_and_no_write(calls: Calls) -> None:
    for _ in range(3):
        work = calls.invocation()
        assert [work(ROW) for _ in range(250)] == [Granted(ROW.id, 50)] * 250
    assert (calls.breakers.reads, calls.breakers.writes) == (3, 0)


def test_an_invocation_without_a_reward_to_work_on_costs_nothing(calls: Calls) -> None:
    calls.invocation()
    assert calls.breakers.reads == 0


def test_failures_in_a_row_stop_the_invocation_that_met_them_and_those_after_it(calls: Calls) -> None:
    calls.answer, work = NO_ANSWER, calls.invocation()
    outcomes = [work(ROW) for _ in range(100)]
    assert outcomes == [Unsettled(ROW.id, "timeout")] * FAILURES_IN_A_ROW + [STOOD_BACK] * (100 - FAILURES_IN_A_ROW)
    assert calls.invocation()(ROW) == STOOD_BACK


def test_failures_add_up_over_invocations_and_an_answer_to_any_of_them_begins_anew(calls: Calls) -> None:
    for _ in range(FAILURES_IN_A_ROW - 1):
        calls.answer = NO_ANSWER
        calls.invocation()(ROW)
    calls.answer = Done(50)
    calls.invocation()(ROW)
    assert calls.breakers.breaker("points").failures == 0


def test_whoever_stands_back_writes_nothing_and_reads_once(calls: Calls) -> None:
    calls.open()
    work = calls.invocation()
    assert {work(ROW) for _ in range(100)} == {STOOD_BACK}
    assert (calls.breakers.reads, calls.breakers.writes, calls.made) == (1, 0, 0)


def test_a_worker_that_missed_the_opening_finds_out_by_its_first_call_that_fails(calls: Calls) -> None:
    late = calls.invocation()
    late(ROW)
    calls.open()
    late(ROW)
    assert late(ROW) == STOOD_BACK
    assert calls.made == 1


def test_of_two_workers_that_want_to_probe_one_does(calls: Calls) -> None:
    calls.open()
    one, other = calls.invocation(), calls.invocation()
    assert {one(ROW), other(ROW)} == {STOOD_BACK}, "both have seen that it is open"
    calls.now += PROBE_EVERY
    assert isinstance(one(ROW), Unsettled)
    assert other(ROW) == STOOD_BACK
    assert calls.made == 1


def test_a_worker_that_lost_the_probe_knows_at_its_next_reward_what_came_of_it(calls: Calls) -> None:
    calls.open()
    one, other = calls.invocation(), calls.invocation()
    assert {one(ROW), other(ROW)} == {STOOD_BACK}
    calls.now += PROBE_EVERY
    calls.answer = Done(50)
    assert one(ROW) == Granted(ROW.id, 50)
    assert [other(ROW), other(ROW)] == [STOOD_BACK, Granted(ROW.id, 50)]


def test_a_failure_met_by_another_one_counts_besides_it(calls: Calls) -> None:
    one, other = calls.invocation(), calls.invocation()
    one(ROW)
    other(ROW)
    calls.answer = NO_ANSWER
    one(ROW)
    other(ROW)
    assert calls.breakers.breaker("points").failures == 2


def test_a_probe_that_is_answered_closes_it_for_everybody(calls: Calls) -> None:
    calls.open()
    calls.now += PROBE_EVERY
    calls.answer, work = Done(50), calls.invocation()
    assert [work(ROW) for _ in range(3)] == [Granted(ROW.id, 50)] * 3
    assert calls.invocation()(ROW) == Granted(ROW.id, 50)
    assert calls.breakers.writes == 2


def test_a_refusal_is_an_answer_too(calls: Calls) -> None:
    calls.open()
    calls.now += PROBE_EVERY
    calls.answer = Refused("no such member")
    calls.invocation()(ROW)
    assert calls.breakers.breaker("points").probe_at is None


def test_a_probe_of_which_nothing_is_heard_is_followed_by_another(calls: Calls) -> None:
    calls.open()
    calls.now += PROBE_EVERY
    before = calls.breakers.breaker("points")
    calls.breakers.write_breaker("points", before, before.probed(calls.now))  # its worker dies here
    assert calls.invocation()(ROW) == STOOD_BACK
    calls.now += PROBE_EVERY
    assert isinstance(calls.invocation()(ROW), Unsettled)


def test_a_retry_after_holds_from_when_it_was_said_not_from_when_the_invocation_began(calls: Calls) -> None:
    work = calls.invocation()
    work(ROW)
    calls.now += timedelta(minutes=1)
    calls.answer = NotNow("429", timedelta(minutes=10))
    work(ROW)
    calls.now += timedelta(minutes=10) - timedelta(seconds=1)
    assert calls.invocation()(ROW) == STOOD_BACK


def test_what_failed_before_says_nothing_of_the_provider(calls: Calls) -> None:
    calls.answer, work = NO_ANSWER, calls.invocation()
    tried = replace(ROW, attempts=1, first_failed_at=NOW)
    assert {work(tried) for _ in range(100)} == {Unsettled(ROW.id, "timeout")}
    assert calls.breakers.breaker("points") == Breaker()


def test_a_call_that_raises_is_no_answer_and_opens_the_breaker_as_any_other(calls: Calls) -> None:
    calls.answer, work = PermissionError("the secret cannot be read"), calls.invocation()
    for _ in range(FAILURES_IN_A_ROW):
        assert work(ROW) == Unsettled(ROW.id, "timeout")
    assert work(ROW) == STOOD_BACK
