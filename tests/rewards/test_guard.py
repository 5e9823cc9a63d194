"""The guard: who may call, what it costs to ask, and what a worker finds out that another one did."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from rewards.breaker import FAILURES_IN_A_ROW, PROBE_EVERY, Breaker
from rewards.claiming import Claim
from rewards.guard import Guard, Outcomes
from rewards.outcomes import BreakerOpen, Granted, OfReward, Unsettled
from rewards.pooling import Asking
from rewards.provider import Done, NotNow, Refused, Unknown
from rewards.reward import Lock, Reward, RewardId
from tests.builders import a_reward
from tests.fakes.breakers import MemoryBreakers
from tests.fakes.world import World

NOW = datetime(2026, 12, 1, 16, tzinfo=UTC)
NO_ANSWER = Unknown("timeout")
Answer = Done | Refused | NotNow | Unknown


class Calls:
    """Invocations of a step whose provider answers what it is told to; each row it works is one question."""

    def __init__(self) -> None:
        self.now = NOW
        self.breakers = MemoryBreakers()
        self.answer: Answer | Exception = Done(50)
        self.answers: list[Answer] = []
        self.made = 0

    def invocation(self) -> Callable[[Reward], OfReward]:
        """What it makes of a row, if the provider is asked of one at a time."""
        crew = self.crew(together=1)

        def work(row: Reward) -> OfReward:
            (outcome,) = crew([row]).values()
            assert isinstance(outcome, OfReward)
            return outcome

        return work

    def crew(self, together: int) -> Callable[[Sequence[Reward]], Outcomes]:
        guard = Guard("points", self.breakers, lambda: self.now)
        asking = guard.telling(Asking(self._call, together))

        def work(rows: Sequence[Reward]) -> Outcomes:
            known = {row.id: row for row in rows}

            def some(ids: Sequence[RewardId]) -> Outcomes:
                answers = asking.ask([self._claim(known[id]) for id in ids])
                return {
                    id: Granted(id, 50) if isinstance(answer, Done) else Unsettled(id, "timeout")
                    for id, answer in zip(ids, answers, strict=True)
                }

            return guard.heeding(some, together)([*known])

        return work

    def open(self) -> None:
        self.answer, work = NO_ANSWER, self.invocation()
        for _ in range(FAILURES_IN_A_ROW):
            work(ROW)
        self.made = self.breakers.reads = self.breakers.writes = 0

    def _claim(self, row: Reward) -> Claim:
        return Claim(row, Lock("token", NOW, "grant", "key", 50), World().worker("grant_points"), is_first=True)

    def _call(self, claims: Sequence[Claim]) -> list[Answer]:
        self.made += len(claims)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answers or [self.answer] * len(claims)


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


MANY = [a_reward(order_group=f"TG{number}") for number in range(100)]


def test_of_a_provider_that_is_well_many_are_asked_together_for_one_read(calls: Calls) -> None:
    assert len(calls.crew(together=40)(MANY)) == 40
    assert (calls.breakers.reads, calls.breakers.writes, calls.made) == (1, 0, 40)


def test_a_probe_is_of_one_reward_however_many_are_asked_together(calls: Calls) -> None:
    calls.open()
    calls.now += PROBE_EVERY
    calls.answer, crew = Done(50), calls.crew(together=40)
    assert len(crew(MANY)) == calls.made == 1
    assert len(crew(MANY)) == 40


def test_while_it_is_open_nothing_is_asked_and_nothing_claimed(calls: Calls) -> None:
    calls.open()
    assert calls.crew(together=40)(MANY) == {MANY[0].id: BreakerOpen(MANY[0].id)}
    assert calls.made == 0


def test_failures_that_come_together_open_it_by_one_write(calls: Calls) -> None:
    calls.answer = NO_ANSWER
    calls.crew(together=40)(MANY)
    assert calls.breakers.breaker("points").probe_at == NOW + PROBE_EVERY
    assert calls.breakers.writes == 1


def test_of_answers_that_come_together_the_last_ones_in_a_row_count(calls: Calls) -> None:
    calls.answers = [NO_ANSWER] * 9 + [Done(50)] + [NO_ANSWER] * 3
    calls.crew(together=13)(MANY)
    assert calls.breakers.breaker("points").failures == 3
    calls.answers = [NO_ANSWER] * 3 + [Done(50)] * 2
    calls.crew(together=5)(MANY)
    assert calls.breakers.breaker("points").failures == 0


def test_failures_that_an_answer_of_the_same_call_makes_up_for_cost_no_write(calls: Calls) -> None:
    calls.answers = [NO_ANSWER] * 3 + [Done(50)]
    calls.crew(together=4)(MANY)
    assert calls.breakers.writes == 0
