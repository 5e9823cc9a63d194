"""What a benchmark found, and the one table of it: for the terminal and for docs/performance.md alike."""

import sys
from collections.abc import Iterable
from typing import NamedTuple

HEAD = ("what", "figure", "bar", "holds")


class Measured(NamedTuple):
    """One row: `what` was measured as part of `part`, and the bar it is held to, where there is one."""

    part: str
    what: str
    figure: str
    bar: str = ""
    holds: bool | None = None
    """Whether the figure keeps to the bar; None where there is no bar, or nothing could be measured."""


def table(measured: Iterable[Measured]) -> str:
    """Markdown that also reads well as it is: a heading for each part and a table under it."""
    parts: dict[str, list[Measured]] = {}
    for each in measured:
        parts.setdefault(each.part, []).append(each)
    return "\n\n".join(f"### {part}\n\n{_rows(rows)}" for part, rows in parts.items())


def show(measured: Iterable[Measured]) -> None:
    print(table(measured))


def progress(line: str) -> None:
    """Say what is being measured now, beside the table and not in it."""
    print(f"  {line}", file=sys.stderr, flush=True)


def _rows(measured: list[Measured]) -> str:
    cells = [(each.what, each.figure, each.bar, _mark(each.holds)) for each in measured]
    widths = [max(len(row[column]) for row in (HEAD, *cells)) for column in range(len(HEAD))]
    lines = [_line(row, widths) for row in (HEAD, *cells)]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"


def _mark(holds: bool | None) -> str:
    return {True: "yes", False: "**no**", None: ""}[holds]
