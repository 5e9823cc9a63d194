"""Every benchmark of `make bench` in turn, each in a process of its own, and the one table of what they found.

python -m bench                   # all, and writes docs/performance.md
python -m bench dispatch prices   # these only; of the others the page keeps what they found before
"""

import sys
from pathlib import Path

import msgspec

from bench import machine
from bench.apart import measured_apart
from bench.table import Measured, table

BENCHMARKS = ("dispatch", "sweep", "granting", "killed", "growth", "rivals", "units", "prices", "imports", "spread")
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
FOUND = Path(__file__).parent.parent / ".cache" / "bench"
BEGIN, END = "<!-- `make bench` writes this part -->", "<!-- to here -->"


def main(names: list[str]) -> int:
    """Exit status 0: all was measured, and every bar is kept to."""
    if unknown := set(names) - set(BENCHMARKS):
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    found = [each for name in names or BENCHMARKS for each in _kept(name, measured_apart(name))]
    print(table(found))
    if missing := [name for name in BENCHMARKS if not _file(name).exists()]:
        print(f"docs/performance.md is left as it is: not measured here yet: {', '.join(missing)}", file=sys.stderr)
    else:
        whole = [each for name in BENCHMARKS for each in _read(name)]
        PAGE.write_text(with_report(PAGE.read_text(), f"{machine.described()}\n\n{table(whole)}"))
    return int(any(each.holds is False for each in found))


def _kept(name: str, found: list[Measured]) -> list[Measured]:
    FOUND.mkdir(parents=True, exist_ok=True)
    _file(name).write_bytes(msgspec.json.encode(found))
    return found


def _read(name: str) -> list[Measured]:
    return msgspec.json.decode(_file(name).read_bytes(), type=list[Measured])


def _file(name: str) -> Path:
    return FOUND / f"{name}.json"


def with_report(page: str, report: str) -> str:
    """`page` with what stands between the two marks replaced."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{report}\n\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
