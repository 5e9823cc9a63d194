"""Working through a task: in order, and a reward that fails costs only itself."""

import pytest

from rewards.outcomes import Granted, OfReward, Unsettled
from rewards.reward import RewardId
from rewards.tasks import PASSES_MAX, Group, Task
from rewards.working import TryAgain, work
from tests.fakes.world import MemoryTasks

ORDERS = ("A", "B", "C")
GROUP = Group("1", "M1", "28343", ORDERS)


class MemoryLists:
    def __init__(self, **lists: Group) -> None:
        self.stored = lists

    def read(self, key: str) -> Group:
        return self.stored[key]


class Worked:
    """A step that notes what it worked on, and fails for the orders it was told of."""

    def __init__(self, *, raises: str = "", unsettled: str = "") -> None:
        self.orders: list[str] = []
        self._raises, self._unsettled = raises, unsettled

    def __call__(self, id: RewardId) -> OfReward:
        self.orders.append(id.order_group)
        if id.order_group in self._raises:
            raise ConnectionError("no way")
        return Unsettled(id, "timeout") if id.order_group in self._unsettled else Granted(id, 1)


def never() -> bool:
    return False


def always() -> bool:
    return True


def test_rewards_are_worked_in_the_order_of_the_message() -> None:
    worked, again = Worked(), MemoryTasks()
    outcomes = work(Task((GROUP,)), worked, MemoryLists(), again, out_of_time=never)
    assert worked.orders == ["A", "B", "C"]
    assert len(outcomes) == 3
    assert again.waiting == []


@pytest.mark.parametrize("fault", [{"raises": "B"}, {"unsettled": "B"}])
def test_a_reward_that_fails_is_sent_on_alone_and_its_siblings_are_done(fault: dict[str, str]) -> None:
    worked, again = Worked(**fault), MemoryTasks()
    outcomes = work(Task((GROUP,)), worked, MemoryLists(), again, out_of_time=never)
    assert [outcome.reward.order_group for outcome in outcomes] == ["A", "C"]
    assert again.waiting == [Task((Group("1", "M1", "28343", ("B",)),))]


def test_a_message_of_one_reward_that_fails_comes_back_itself() -> None:
    again = MemoryTasks()
    alone = Task((Group("1", "M1", "28343", ("B",)),))
    with pytest.raises(ConnectionError):
        work(alone, Worked(raises="B"), MemoryLists(), again, out_of_time=never)
    with pytest.raises(TryAgain, match="timeout"):
        work(alone, Worked(unsettled="B"), MemoryLists(), again, out_of_time=never)
    assert again.waiting == []


def test_a_large_group_is_worked_from_its_list_where_the_worker_before_stopped() -> None:
    lists, again = MemoryLists(large=GROUP), MemoryTasks()
    worked = Worked()
    work(Task(list_key="large"), worked, lists, again, out_of_time=always)
    assert worked.orders == ["A"], "each pass advances, however little time it has"
    (rest,) = again.waiting
    assert rest == Task(list_key="large", start=1, passes=1)
    work(rest, worked, lists, again, out_of_time=never)
    assert worked.orders == ["A", "B", "C"]


def test_a_chain_of_passes_ends_before_the_platform_cuts_it() -> None:
    again = MemoryTasks()
    work(Task((GROUP,), passes=PASSES_MAX), Worked(), MemoryLists(), again, out_of_time=always)
    assert again.waiting == []
