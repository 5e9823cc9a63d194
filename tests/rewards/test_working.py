"""Working through tasks: in order, and a reward that fails costs only itself."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from rewards.guard import Outcomes
from rewards.outcomes import Granted, OfReward, Unsettled
from rewards.reward import RewardId
from rewards.tasks import PASSES_MAX, Group, Task
from rewards.working import TryAgain, Worked, work
from tests.fakes.world import MemoryTasks

ORDERS = ("A", "B", "C")
GROUP = Group("1", "M1", "28343", ORDERS)
TASK = Task(groups=(GROUP,))


class MemoryLists:
    def __init__(self, **lists: Group) -> None:
        self.stored = lists

    def read(self, key: str) -> Group:
        return self.stored[key]


class Crew:
    """It notes what it works on, `together` at a time, and fails for the orders it was told of."""

    def __init__(self, *, together: int = 1, raises: str = "", unsettled: str = "") -> None:
        self.orders: list[str] = []
        self._together, self._raises, self._unsettled = together, raises, unsettled

    def __call__(self, ids: Sequence[RewardId]) -> Outcomes:
        return {id: self._worked(id) for id in ids[: self._together]}

    def _worked(self, id: RewardId) -> OfReward | Exception:
        self.orders.append(id.order_group)
        if id.order_group in self._raises:
            return ConnectionError("no way")
        return Unsettled(id, "timeout") if id.order_group in self._unsettled else Granted(id, 1)


def never() -> bool:
    return False


def always() -> bool:
    return True


def of(*orders: str) -> Task:
    return Task(groups=(Group("1", "M1", "28343", orders),))


def orders_of(worked: Worked) -> list[str]:
    return [outcome.reward.order_group for outcome in worked.outcomes]


@pytest.mark.parametrize("together", [1, 2, 100])
def test_rewards_are_worked_in_the_order_of_the_messages(together: int) -> None:
    crew, again = Crew(together=together), MemoryTasks()
    worked = work([of("A", "B", "C"), of("D"), of("E", "F")], crew, MemoryLists(), again, out_of_time=never)
    assert crew.orders == orders_of(worked) == ["A", "B", "C", "D", "E", "F"]
    assert worked.failures == [None, None, None]
    assert again.waiting == []


@pytest.mark.parametrize("fault", [{"raises": "B"}, {"unsettled": "B"}])
def test_a_reward_that_fails_is_sent_on_alone_and_its_siblings_are_done(fault: dict[str, str]) -> None:
    again = MemoryTasks()
    worked = work([TASK, of("D")], Crew(together=100, **fault), MemoryLists(), again, out_of_time=never)
    assert orders_of(worked) == ["A", "C", "D"]
    assert worked.failures == [None, None]
    assert again.waiting == [of("B")]


def test_a_reward_that_is_named_by_its_key_and_fails_is_sent_on_by_its_key() -> None:
    keys = tuple(f"2026-12-01T16:00Z#1#M1#28343#2026-11-24T04:00:00.000000Z#{order}" for order in ORDERS)
    crew, again = Crew(raises="B"), MemoryTasks()
    worked = work([Task(keys)], crew, MemoryLists(), again, out_of_time=never)
    assert (crew.orders, orders_of(worked)) == (["A", "B", "C"], ["A", "C"])
    assert again.waiting == [Task(keys[1:2])]


def test_what_is_sent_on_alone_has_come_as_far_as_the_message_it_was_in() -> None:
    again = MemoryTasks()
    work([replace(TASK, passes=3)], Crew(together=100, raises="B"), MemoryLists(), again, out_of_time=never)
    assert again.waiting == [replace(of("B"), passes=3)]


def test_a_message_of_one_reward_that_fails_comes_back_itself() -> None:
    again = MemoryTasks()
    tasks = [of("A"), of("B"), of("C")]
    worked = work(tasks, Crew(raises="B", unsettled="C"), MemoryLists(), again, out_of_time=never)
    assert orders_of(worked) == ["A"]
    first, *failures = worked.failures
    assert first is None
    assert [type(failure) for failure in failures] == [ConnectionError, TryAgain]
    assert "timeout" in str(failures[1])
    assert again.waiting == []


def test_a_reward_that_two_messages_name_is_done_once_and_both_are_told() -> None:
    crew, again = Crew(together=2), MemoryTasks()
    worked = work([of("A"), TASK, of("A")], crew, MemoryLists(), again, out_of_time=never)
    assert crew.orders == orders_of(worked) == ["A", "B", "C"]
    assert worked.failures == [None, None, None]


def test_a_reward_that_two_messages_name_and_that_fails_goes_on_once_and_comes_back_where_it_is_alone() -> None:
    again = MemoryTasks()
    worked = work([of("A"), TASK, of("A", "D")], Crew(raises="A"), MemoryLists(), again, out_of_time=never)
    assert [type(failure) for failure in worked.failures] == [ConnectionError, type(None), type(None)]
    assert again.waiting == [of("A")]


def test_a_large_group_is_worked_from_its_list_where_the_worker_before_stopped() -> None:
    lists, again = MemoryLists(large=GROUP), MemoryTasks()
    crew = Crew()
    work([Task(list_key="large")], crew, lists, again, out_of_time=always)
    assert crew.orders == ["A"], "each pass advances, however little time it has"
    (rest,) = again.waiting
    assert rest == Task(list_key="large", start=1, passes=1)
    work([rest], crew, lists, again, out_of_time=never)
    assert crew.orders == ["A", "B", "C"]


def test_a_list_that_cannot_be_read_brings_back_its_own_message_only() -> None:
    again = MemoryTasks()
    worked = work([Task(list_key="gone"), of("D")], Crew(), MemoryLists(), again, out_of_time=never)
    assert orders_of(worked) == ["D"]
    assert [type(failure) for failure in worked.failures] == [KeyError, type(None)]


def test_what_was_not_begun_when_time_was_up_goes_on_as_it_is() -> None:
    again = MemoryTasks()
    worked = work([TASK, of("D"), of("E", "F")], Crew(together=2), MemoryLists(), again, out_of_time=always)
    assert orders_of(worked) == ["A", "B"]
    assert again.waiting == [
        replace(TASK, start=2, passes=1),
        replace(of("D"), passes=1),
        replace(of("E", "F"), passes=1),
    ]
    assert worked.failures == [None, None, None]


def test_a_chain_of_passes_ends_before_the_platform_cuts_it() -> None:
    again = MemoryTasks()
    work([replace(TASK, passes=PASSES_MAX)], Crew(), MemoryLists(), again, out_of_time=always)
    assert again.waiting == []


def test_where_nothing_can_be_sent_on_the_messages_come_back_that_it_was_in() -> None:
    class Broken(MemoryTasks):
        def send(self, tasks: list[Task]) -> None:
            raise ConnectionError("no queue")

    worked = work([TASK, of("D"), of("E")], Crew(raises="B"), MemoryLists(), Broken(), out_of_time=never)
    assert orders_of(worked) == ["A", "C", "D", "E"]
    assert [type(failure) for failure in worked.failures] == [ConnectionError, type(None), type(None)]
