import re
from pathlib import Path

from bench import apart
from bench.__main__ import BENCHMARKS


def test_a_benchmark_that_cannot_run_is_a_row_that_says_so() -> None:
    (row,) = apart.measured_apart("of_nothing")

    assert row.figure == "ModuleNotFoundError: No module named 'bench.of_nothing'"
    assert row.holds is False


def test_each_file_with_something_to_measure_is_run() -> None:
    files = Path(apart.__file__).parent.glob("*.py")
    measuring = re.compile(r"^def measure\(.*\) -> list\[Measured\]:", re.MULTILINE)

    assert {file.stem for file in files if measuring.search(file.read_text())} - {"apart"} <= set(BENCHMARKS)
