"""Packing: groups in working order, at most 25 rewards in a task, ten tasks to a call, larger groups as lists."""

import pytest
from msgspec.structs import replace

from rewards.identifiers import join
from rewards.packing import FoundGroup, FoundRow, Groups, Packer, Packers
from rewards.tasks import Group, Task
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueue, rewards_in

FOUR_PM = "2026-12-01T16:00Z"


def a_row(member: str, order: str, *, slot: str = FOUR_PM, promotion: str = "28343") -> FoundRow:
    return FoundRow(join(slot, "1", member, promotion, "2026-11-24T04:00:00.000000Z", order), "LoyaltyPoints")


def a_group(member: str, rewards: int) -> FoundGroup:
    orders = tuple(f"TG{number}" for number in range(rewards))
    return FoundGroup(FOUR_PM, "LoyaltyPoints", Group("1", member, "28343", orders), a_row(member, orders[-1]).sort)


def packed(*found: FoundGroup) -> tuple[list[Task], MemoryLists]:
    queue, lists = MemoryQueue[Task](), MemoryLists()
    packer = Packer("reward", queue, lists)
    for group in found:
        packer.add(group)
    packer.flush()
    return queue.take(), lists


def sizes(tasks: list[Task]) -> list[list[int]]:
    return [[len(group.orders) for group in task.groups] for task in tasks]


def test_rows_of_one_slot_member_and_promotion_are_a_group_in_the_order_they_come() -> None:
    rows = [a_row("M1", "TG2"), a_row("M1", "TG1"), a_row("M1", "TG3", promotion="28344"), a_row("M2", "TG4")]
    assert [found.group for found in Groups(rows)] == [
        Group("1", "M1", "28343", ("TG2", "TG1")),
        Group("1", "M1", "28344", ("TG3",)),
        Group("1", "M2", "28343", ("TG4",)),
    ]


def test_the_same_member_in_two_slots_is_two_groups() -> None:
    rows = [a_row("M1", "TG1"), a_row("M1", "TG2", slot="2026-12-01T17:00Z")]
    assert [(found.slot, found.group.orders) for found in Groups(rows)] == [
        (FOUR_PM, ("TG1",)),
        ("2026-12-01T17:00Z", ("TG2",)),
    ]


def test_a_group_knows_the_key_of_its_last_row() -> None:
    rows = [a_row("M1", "TG1"), a_row("M1", "TG2"), a_row("M2", "TG3")]
    assert [found.last for found in Groups(rows)] == [rows[1].sort, rows[2].sort]


def test_identifiers_with_delimiters_in_them_neither_merge_groups_nor_come_out_escaped() -> None:
    rows = [a_row("M#1", "TG#1~"), a_row("M", "TG2")]
    assert [(found.group.member_id, found.group.orders) for found in Groups(rows)] == [
        ("M#1", ("TG#1~",)),
        ("M", ("TG2",)),
    ]


@pytest.mark.parametrize("poison", ["", "2026-12-01T16:00Z", "2026-12-01T16:00Z#1#M1#28343#TG", "a#b#c#d#e#f#g"])
def test_a_row_whose_key_says_nothing_costs_only_itself(poison: str) -> None:
    rows = [a_row("M1", "TG1"), FoundRow(poison, "LoyaltyPoints"), a_row("M1", "TG2"), a_row("M2", "TG3")]
    groups = Groups(rows)
    assert [(found.group.orders, found.last) for found in groups] == [
        (("TG1", "TG2"), rows[2].sort),
        (("TG3",), rows[3].sort),
    ]
    assert groups.unreadable == [poison]


def test_small_groups_share_a_task_of_at_most_25_rewards() -> None:
    tasks, _ = packed(a_group("M1", 10), a_group("M2", 15), a_group("M3", 1), a_group("M4", 25), a_group("M5", 2))
    assert sizes(tasks) == [[10, 15], [1], [25], [2]]


def test_a_larger_group_is_one_task_whose_list_lies_elsewhere() -> None:
    large = a_group("M1", 26)
    (task,), lists = packed(large)
    assert task.list_key
    assert task.list_key.startswith(f"reward/{FOUR_PM}/")
    assert lists.read(task.list_key) == large.group


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
    for number in range(23):
        packer.add(a_group(f"M{number}", 25))
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
    packers.add(replace(a_group("M1", 3), reward_type=reward_type))
    packers.add(a_group("M1", 1))
    packers.flush()
    assert sizes(queue.take()) == [[1]]
    assert (packers.sent, packers.left) == (1, 3)
