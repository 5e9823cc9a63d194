"""Every benchmark of `make bench` in turn, each in a process of its own, and the one table of what they found.

python -m bench                   # all, and writes docs/performance.md
python -m bench dispatch prices   # these only, and writes nothing
"""

import sys
import time
from pathlib import Path

from bench import machine
from bench.apart import measured_apart
from bench.table import table

BENCHMARKS = ("dispatch", "sweep", "granting", "growth", "rivals", "units", "prices", "imports", "spread")
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
BEGIN, END = "<!-- `make bench` writes this part -->", "<!-- to here -->"


def main(names: list[str]) -> int:
    """Exit status 0: all was measured, and every bar is kept to."""
    if unknown := set(names) - set(BENCHMARKS):
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    about, began = machine.described(), time.monotonic()
    found = [each for name in names or BENCHMARKS for each in measured_apart(name)]
    minutes = (time.monotonic() - began) / 60
    report = f"{about} It took {minutes:.0f} min.\n\n{table(found)}"
    print(report)
    if not names:
        PAGE.write_text(with_report(PAGE.read_text(), report))
    return int(any(each.holds is False for each in found))


def with_report(page: str, report: str) -> str:
    """`page` with what stands between the two marks replaced."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{report}\n\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
