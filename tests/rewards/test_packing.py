"""Packing: groups in working order, at most 25 rewards in a task, ten tasks to a call, larger groups as lists."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.due import group_of, parse
from rewards.identifiers import join
from rewards.packing import FoundRow, Groups, Packer, Packers
from rewards.tasks import Group, Task
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueue, rewards_in

FOUR_PM = "2026-12-01T16:00Z"


def a_row(member: str, order: str, *, slot: str = FOUR_PM, promotion: str = "28343") -> FoundRow:
    return FoundRow(join(slot, "1", member, promotion, "2026-11-24T04:00:00.000000Z", order), "LoyaltyPoints")


def a_group(member: str, rewards: int) -> list[str]:
    return [a_row(member, f"TG{number}").sort for number in range(rewards)]


def packed(*groups: list[str]) -> tuple[list[Task], MemoryLists]:
    queue, lists = MemoryQueue[Task](), MemoryLists()
    packer = Packer("reward", queue, lists)
    packer.add([*chain(*groups)])
    packer.flush()
    return queue.take(), lists


def sizes(tasks: list[Task]) -> list[list[int]]:
    """How many rewards each member has in each task."""
    return [[*Counter(parse(key).member_id for key in task.keys).values()] for task in tasks]


def test_rows_are_handed_on_by_the_part_but_for_the_last_group() -> None:
    one, two, three, four = a_row("M1", "TG1"), a_row("M1", "TG2"), a_row("M2", "TG3"), a_row("M3", "TG4")
    assert [*Groups([[one], [], [two], [three, four]])] == [[one, two, three], [four]]


@pytest.mark.parametrize(
    "another",
    [a_row("M2", "TG2"), a_row("M1", "TG2", promotion="28344"), a_row("M1", "TG2", slot="2026-12-01T17:00Z")],
    ids=["member", "promotion", "slot"],
)
def test_another_slot_member_or_promotion_is_another_group(another: FoundRow) -> None:
    row = a_row("M1", "TG1")
    assert [*Groups([[row], [another]])] == [[row], [another]]


def test_rows_of_one_group_stay_together_whatever_the_parts() -> None:
    rows = [a_row("M1", f"TG{number}") for number in range(5)]
    assert [*Groups([rows[:2], rows[2:3], rows[3:]])] == [rows]


def test_identifiers_with_delimiters_in_them_neither_merge_groups_nor_come_out_escaped() -> None:
    rows = [a_row("M#1", "TG#1~"), a_row("M", "TG2")]
    assert [*Groups([rows])] == [[rows[0]], [rows[1]]]
    large, other = [[a_row(member, f"TG#{number}").sort for number in range(26)] for member in ("M#1", "M")]
    (listed, _), lists = packed(large, other)
    assert listed.list_key
    assert lists.read(listed.list_key) == Group("1", "M#1", "28343", tuple(f"TG#{number}" for number in range(26)))


@pytest.mark.parametrize(
    "poison",
    ["", "#at#TG", FOUR_PM, "2026-12-01T16:00Z#1#M1#28343#TG", "2026-12-01T16:00Z#1#M1#28343#at#TG#more"],
)
def test_a_row_whose_key_says_nothing_costs_only_itself(poison: str) -> None:
    rows = [a_row("M1", "TG1"), FoundRow(poison, "LoyaltyPoints"), a_row("M1", "TG2"), a_row("M2", "TG3")]
    groups = Groups([rows])
    assert [*groups] == [[rows[0], rows[2]], [rows[3]]]
    assert groups.unreadable == [poison]


@pytest.mark.parametrize("parts", [[], [[]], [[FoundRow("", "")]]], ids=["no part", "no row", "nothing readable"])
def test_no_rows_are_no_groups(parts: list[list[FoundRow]]) -> None:
    assert [*Groups(parts)] == []


@given(st.lists(st.integers(1, 60), max_size=8), st.integers(1, 40))
def test_however_they_come_rows_are_packed_in_order_and_no_group_of_25_is_parted(sizes: list[int], cut: int) -> None:
    rows = [a_row(f"M{member}", f"TG{order}") for member, size in enumerate(sizes) for order in range(size)]
    queue, lists = MemoryQueue[Task](), MemoryLists()
    packers = Packers("reward", {"LoyaltyPoints": queue}, lists)
    for part in Groups(rows[start : start + cut] for start in range(0, len(rows), cut)):
        packers.add(part)
    packers.flush()
    tasks = queue.take()
    assert rewards_in(tasks, lists) == [parse(row.sort).id for row in rows]
    assert all(len(task.keys) <= 25 for task in tasks)
    inline = [{group_of(key) for key in task.keys} for task in tasks]
    assert sum(map(len, inline)) + len(lists.stored) == len(sizes)


def test_small_groups_share_a_task_of_at_most_25_rewards() -> None:
    tasks, _ = packed(a_group("M1", 10), a_group("M2", 15), a_group("M3", 1), a_group("M4", 25), a_group("M5", 2))
    assert sizes(tasks) == [[10, 15], [1], [25], [2]]


def test_a_larger_group_is_one_task_whose_list_lies_elsewhere() -> None:
    (task,), lists = packed(a_group("M1", 26))
    assert task.list_key
    assert task.list_key.startswith(f"reward/{FOUR_PM}/")
    assert lists.read(task.list_key) == Group("1", "M1", "28343", tuple(f"TG{number}" for number in range(26)))


def test_a_list_has_the_same_key_on_every_run_and_another_where_it_holds_something_else() -> None:
    (first,), _ = packed(a_group("M1", 26))
    (again,), _ = packed(a_group("M1", 26))
    (other,), _ = packed(a_group("M1", 27))
    assert first == again
    assert first.list_key != other.list_key


def test_a_list_stands_before_its_task_is_sent() -> None:
    class Checking(MemoryQueue[Task]):
        def send(self, messages: list[Task]) -> None:
            assert rewards_in(messages, lists)
            super().send(messages)

    lists = MemoryLists()
    packer = Packer("reward", Checking(), lists)
    packer.add(a_group("M1", 26))
    packer.flush()


def test_tasks_go_ten_to_a_call() -> None:
    class Counting(MemoryQueue[Task]):
        def send(self, messages: list[Task]) -> None:
            calls.append(len(messages))

    calls: list[int] = []
    packer = Packer("reward", Counting(), MemoryLists())
    packer.add([*chain(*(a_group(f"M{number}", 25) for number in range(23)))])
    packer.flush()
    packer.flush()
    assert calls == [10, 10, 3]


def test_nothing_found_is_nothing_sent() -> None:
    tasks, lists = packed()
    assert not tasks
    assert not lists.stored


@pytest.mark.parametrize("reward_type", ["ECoupon", ""])
def test_a_type_without_a_queue_is_told_and_left(reward_type: str) -> None:
    queue = MemoryQueue[Task]()
    packers = Packers("reward", {"LoyaltyPoints": queue}, MemoryLists())
    others = [FoundRow(key, reward_type) for key in a_group("M1", 3)]
    packers.add([*others, a_row("M1", "TG1")])
    packers.flush()
    assert sizes(queue.take()) == [[1]]
    assert (packers.sent, packers.left) == (1, 3)
