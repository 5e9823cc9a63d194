"""The simulation of the sweep, at a small scale: no backlog is multiplied, however slow the workers are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.sweep import MESSAGES_MOST, Backlog, messages_each
from rewards.tasks import Group, Task


@settings(max_examples=15)
@given(a_second=st.integers(4, 60), is_dispatched=st.booleans())
def test_a_reward_is_in_no_more_than_a_tenth_of_a_message_too_many(a_second: int, *, is_dispatched: bool) -> None:
    each = messages_each(30_000, a_second, is_dispatched=is_dispatched)
    assert 1 <= each <= MESSAGES_MOST


@pytest.mark.parametrize("times", [1, 2])
def test_the_simulation_counts_every_message_and_settles_a_reward_once(times: int) -> None:
    backlog = Backlog(3)
    for _ in range(times):
        backlog.send([Task(groups=(Group("1", "M", "28343", ("0", "2")),))])
    backlog.work(10)
    assert (backlog.named, backlog.left, backlog.depth()) == (2 * times, 1, 0)
