"""Jobs are spread over slots: without a collision while there are slots, and so that few ever move."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.moves import mean_moved
from rewards.stagger import assign, offset

FUNCTIONS = Path(__file__).parents[2] / "functions"
NAMES = st.sets(st.text(), max_size=40)


@pytest.mark.parametrize(("name", "slots", "slot"), [("collect", 60, 26), ("商店一", 900, 112), ("", 1, 0)])
def test_a_lone_job_keeps_its_slot_for_ever(name: str, slots: int, slot: int) -> None:
    assert offset(name, slots) == slot


def test_known_jobs_keep_their_slots_for_ever() -> None:
    assert assign(["collect", "audit", "商店一"], 60) == {"collect": 46, "audit": 53, "商店一": 45}


def test_every_process_assigns_the_same() -> None:
    program = "from rewards.stagger import *; print(assign(map(str, range(70)), 60), offset('a', 60))"
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(FUNCTIONS)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1


@given(NAMES, st.integers(1, 30))
def test_no_two_jobs_share_a_slot_while_there_are_slots_and_then_loads_differ_by_one(
    names: set[str], slots: int
) -> None:
    found = assign(names, slots)
    loads = [list(found.values()).count(slot) for slot in range(slots)]
    assert found.keys() == names
    assert sum(loads) == len(names)
    assert max(loads) - min(loads) <= 1


@given(st.permutations([f"job {number}" for number in range(25)]), st.integers(1, 30))
def test_the_order_of_the_names_does_not_matter(names: list[str], slots: int) -> None:
    assert assign(names, slots) == assign(sorted(names), slots)


def test_a_name_given_twice_is_one_job() -> None:
    assert assign(["a", "b", "a"], 2) == assign(["a", "b"], 2)


@given(NAMES, st.sets(st.integers(0, 29)))
def test_what_others_have_taken_is_left_to_them_while_there_are_other_slots(names: set[str], taken: set[int]) -> None:
    found = assign(names, 30, taken=taken)
    loads = Counter(found.values()) + Counter(taken)
    assert max(loads.values(), default=0) <= -(-(len(names) + len(taken)) // 30)


@pytest.mark.parametrize(
    ("sizes", "trials", "most"),
    [(range(1, 49), 5, 0.5), ([60], 50, 2.5), ([300], 5, 5)],
    ids=["up to 80 %", "full", "five in each"],
)
def test_a_job_that_comes_or_goes_moves_few_others(sizes: Sequence[int], trials: int, most: float) -> None:
    assert mean_moved(assign, sizes, trials) < most


def test_there_is_no_spread_over_nothing() -> None:
    with pytest.raises(ValueError, match="0 slots"):
        assign(["a"], 0)
