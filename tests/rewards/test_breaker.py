"""The breaker: what opens it, what closes it, and when somebody may call meanwhile."""

from datetime import UTC, datetime, timedelta

import pytest

import delivery
from rewards.breaker import FAILURES_IN_A_ROW, LONGEST, PROBE_EVERY, PROVIDERS, SHORT, Breaker, shut
from rewards.provider import NotNow, Unknown
from rewards.sweeping import PROBES, PROBING
from tests.fakes.breakers import MemoryBreakers

NOW = datetime(2026, 12, 1, 16, tzinfo=UTC)
NO_ANSWER = Unknown("timeout")


def failed(breaker: Breaker, times: int = 1, *, at: datetime = NOW, is_first: bool = True) -> Breaker:
    for _ in range(times):
        breaker = breaker.failed(NO_ANSWER, at, is_first=is_first)
    return breaker


def is_open(breaker: Breaker) -> bool:
    return not breaker.allows(NOW)


OPEN = failed(Breaker(), FAILURES_IN_A_ROW)


def test_so_many_failures_in_a_row_open_it_and_no_fewer() -> None:
    assert not is_open(failed(Breaker(), FAILURES_IN_A_ROW - 1))
    assert is_open(failed(Breaker(), FAILURES_IN_A_ROW))


def test_an_answer_in_between_begins_the_row_anew() -> None:
    almost = failed(Breaker(), FAILURES_IN_A_ROW - 1)
    assert not is_open(failed(almost.answered(), FAILURES_IN_A_ROW - 1))


def test_a_reward_that_failed_before_counts_no_second_time() -> None:
    assert failed(Breaker(), 100, is_first=False) == Breaker()


def test_an_answer_of_a_provider_that_is_well_is_nothing_to_write() -> None:
    assert Breaker(version=7).answered() == Breaker(version=7)


def test_an_open_one_remembers_why_and_since_when() -> None:
    later = OPEN.probed(NOW + timedelta(hours=1))
    assert (later.opened_at, later.problem) == (NOW, "timeout")


def test_one_may_probe_now_and_then_and_a_failed_probe_changes_nothing() -> None:
    then = NOW + PROBE_EVERY
    assert not OPEN.allows(then - timedelta(seconds=1))
    assert OPEN.allows(then)
    probed = OPEN.probed(then)
    assert not probed.allows(then)
    assert failed(probed, at=then) == probed


def test_any_answer_closes_it() -> None:
    closed = OPEN.answered()
    assert closed == Breaker(version=OPEN.version + 1)
    assert not is_open(closed)


@pytest.mark.parametrize("before", [Breaker(), OPEN], ids=["closed", "open"])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_retry_after_opens_it_until_then(before: Breaker, is_first: bool) -> None:
    after = before.failed(NotNow("429", timedelta(hours=2)), NOW, is_first=is_first)
    assert not after.allows(NOW + timedelta(hours=2) - timedelta(seconds=1))
    assert after.allows(NOW + timedelta(hours=2))


def test_a_shorter_retry_after_does_not_cut_a_longer_one() -> None:
    told = Breaker().failed(NotNow("503", timedelta(hours=2)), NOW, is_first=True)
    told = told.failed(NotNow("429", timedelta(minutes=1)), NOW, is_first=True)
    assert not told.allows(NOW + timedelta(hours=1))


def test_a_retry_after_that_must_be_a_mistake_is_cut() -> None:
    assert Breaker().failed(NotNow("429", timedelta(days=9_999)), NOW, is_first=True).allows(NOW + LONGEST)


def test_a_retry_after_that_the_pause_of_a_message_outlasts_is_a_failure_like_others() -> None:
    assert Breaker().failed(NotNow("429", SHORT), NOW, is_first=True) == Breaker(failures=1, version=1)
    assert SHORT.total_seconds() <= delivery.DUE_WORK.pause - delivery.DUE_WORK.pause // 2 + 1


def test_each_message_of_a_sweep_may_probe() -> None:
    assert PROBING / PROBES > PROBE_EVERY


def test_the_types_whose_provider_is_not_to_be_called_are_shut() -> None:
    breakers = MemoryBreakers()
    assert shut(breakers) == {}
    breakers.write_breaker("points", Breaker(), OPEN)
    assert shut(breakers) == {"LoyaltyPoints": OPEN}
    assert PROVIDERS.keys() == {"LoyaltyPoints", "ECoupon"}
