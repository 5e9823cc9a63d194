"""Packing: groups in working order, at most 25 rewards in a task, ten tasks to a call, larger groups as lists."""

from collections import Counter

import pytest

from rewards.due import parse
from rewards.identifiers import join
from rewards.packing import FoundRow, Groups, Keys, Packer, Packers, last_key
from rewards.tasks import Group, Task
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueue, rewards_in

FOUR_PM = "2026-12-01T16:00Z"


def a_row(member: str, order: str, *, slot: str = FOUR_PM, promotion: str = "28343") -> FoundRow:
    return FoundRow(join(slot, "1", member, promotion, "2026-11-24T04:00:00.000000Z", order), "LoyaltyPoints")


def a_group(member: str, rewards: int) -> Keys:
    return [a_row(member, f"TG{number}").sort for number in range(rewards)]


def found_in(*parts: list[FoundRow]) -> list[list[Keys]]:
    """The groups of each part, of one reward type."""
    return [found["LoyaltyPoints"] for found in Groups(parts)]


def keys(*rows: FoundRow) -> Keys:
    return [row.sort for row in rows]


def packed(*groups: Keys) -> tuple[list[Task], MemoryLists]:
    queue, lists = MemoryQueue[Task](), MemoryLists()
    packer = Packer("reward", queue, lists)
    packer.add(groups)
    packer.flush()
    return queue.take(), lists


def sizes(tasks: list[Task]) -> list[list[int]]:
    """How many rewards each member has in each task."""
    return [[*Counter(parse(key).member_id for key in task.keys).values()] for task in tasks]


def test_rows_of_one_slot_member_and_promotion_are_a_group_in_the_order_they_come() -> None:
    rows = [a_row("M1", "TG2"), a_row("M1", "TG1"), a_row("M1", "TG3", promotion="28344"), a_row("M2", "TG4")]
    (done, (last,)) = found_in(rows)
    assert [*done, last] == [keys(rows[0], rows[1]), keys(rows[2]), keys(rows[3])]


def test_the_same_member_in_two_slots_is_two_groups() -> None:
    rows = [a_row("M1", "TG1"), a_row("M1", "TG2", slot="2026-12-01T17:00Z")]
    assert found_in(rows) == [[keys(rows[0])], [keys(rows[1])]]


def test_a_part_has_the_groups_that_it_completes() -> None:
    one, two, three, four = a_row("M1", "TG1"), a_row("M1", "TG2"), a_row("M2", "TG3"), a_row("M3", "TG4")
    assert found_in([one], [], [two], [three, four]) == [[keys(one, two), keys(three)], [keys(four)]]


def test_groups_come_by_their_type_and_the_last_row_of_all_is_known() -> None:
    points, coupon = a_row("M1", "TG1"), FoundRow(a_row("M2", "TG2").sort, "ECoupon")
    (found, _) = Groups([[points, coupon, a_row("M3", "TG3")]])
    assert found == {"LoyaltyPoints": [keys(points)], "ECoupon": [keys(coupon)]}
    assert last_key(found) == coupon.sort


def test_a_row_of_another_type_is_a_group_of_its_own() -> None:
    points, coupon = a_row("M1", "TG1"), FoundRow(a_row("M1", "TG2").sort, "ECoupon")
    assert [*Groups([[points, coupon]])] == [{"LoyaltyPoints": [keys(points)]}, {"ECoupon": [keys(coupon)]}]


def test_identifiers_with_delimiters_in_them_neither_merge_groups_nor_come_out_escaped() -> None:
    rows = [a_row("M#1", "TG#1~"), a_row("M", "TG2")]
    assert found_in(rows) == [[keys(rows[0])], [keys(rows[1])]]
    large, other = [[a_row(member, f"TG#{number}").sort for number in range(26)] for member in ("M#1", "M")]
    (listed, _), lists = packed(large, other)
    assert listed.list_key
    assert lists.read(listed.list_key) == Group("1", "M#1", "28343", tuple(f"TG#{number}" for number in range(26)))


@pytest.mark.parametrize(
    "poison",
    ["", FOUR_PM, "2026-12-01T16:00Z#1#M1#28343#TG", "a#b#c#d#e#f#g", "2026-12-01T16:00Z#1#M1#28343#at#TG#more"],
)
def test_a_row_whose_key_says_nothing_costs_only_itself(poison: str) -> None:
    rows = [a_row("M1", "TG1"), FoundRow(poison, "LoyaltyPoints"), a_row("M1", "TG2"), a_row("M2", "TG3")]
    groups = Groups([rows])
    assert [found["LoyaltyPoints"] for found in groups] == [[keys(rows[0], rows[2])], [keys(rows[3])]]
    assert groups.unreadable == [poison]


def test_nothing_is_a_group_before_the_first() -> None:
    groups = Groups([[FoundRow("#at#TG", "")]])
    assert [*groups] == []
    assert groups.unreadable == ["#at#TG"]


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
    packer.add([a_group("M1", 26)])
    packer.flush()


def test_tasks_go_ten_to_a_call() -> None:
    class Counting(MemoryQueue[Task]):
        def send(self, messages: list[Task]) -> None:
            calls.append(len(messages))

    calls: list[int] = []
    packer = Packer("reward", Counting(), MemoryLists())
    packer.add(a_group(f"M{number}", 25) for number in range(23))
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
    packers.add({reward_type: [a_group("M1", 3)], "LoyaltyPoints": [a_group("M1", 1)]})
    packers.flush()
    assert sizes(queue.take()) == [[1]]
    assert (packers.sent, packers.left) == (1, 3)
