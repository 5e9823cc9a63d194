"""The rows of a shop's file, CSV or JSON lines: their cells by the names of the columns, not looked at yet.

Blank lines, lines of nothing but commas and repeated headers are empty rows. A row that does not fall into the columns
has a problem and, as far as that can be told, the order it is of.
"""

import csv
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from rewards.crm_text import Lines, Refused
from rewards.identifiers import mapped

REQUIRED = ("order_group", "line", "member_id", "ordered_at", "status", "sku", "quantity", "amount", "currency")
COLUMNS = (*REQUIRED, "return_id", "categories", "source")
"""What is read; a file may have other columns, and those of all in any order."""


class Row(NamedTuple):
    """The row on the lines from `line` on, which begin at the byte `start`. An empty cell is absent."""

    line: int
    start: int
    cells: dict[str, object]
    problem: str | None = None

    @property
    def is_empty(self) -> bool:
        return not self.cells and self.problem is None


class Layout(Struct, frozen=True):
    """Where a CSV file has its columns: the place of each by name, of so many."""

    places: dict[str, int]
    width: int

    def cells(self, row: list[str]) -> dict[str, object]:
        """The cells that are there; none for a header that is repeated."""
        cells = {name: row[place] for name, place in self.places.items() if place < len(row) and row[place].strip()}
        return {} if all(mapped(cells.get(name, ""), name) == name for name in REQUIRED) else {**cells}


def read_layout(lines: Lines) -> Layout:
    """The layout by the header, the first row that is not blank.

    Raises `Refused` if there is none, or a column is missing or doubled.
    """
    names = _header(lines)
    if missing := [name for name in REQUIRED if name not in names]:
        raise Refused(f"line {lines.number}, the header, has no column {', '.join(missing)}")
    if doubled := [name for name in COLUMNS if names.count(name) > 1]:
        raise Refused(f"line {lines.number}, the header, has two columns {doubled[0]}")
    return Layout({name: names.index(name) for name in COLUMNS if name in names}, len(names))


def csv_rows(lines: Lines, layout: Layout) -> Iterator[Row]:
    """The rows below the header. A quoted line break belongs to its cell, any other ends the row."""
    reader = csv.reader(iter(lines), strict=True)
    while True:
        line, start = lines.number + 1, lines.start
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(line, start, {}, f"is no row of CSV up to line {lines.number}: {error}")
            continue
        cells = layout.cells(row) if any(map(str.strip, row)) else {}
        is_ragged = bool(cells) and len(row) != layout.width
        yield Row(line, start, cells, f"has {len(row)} cells, not {layout.width}" if is_ragged else None)


def json_rows(lines: Lines) -> Iterator[Row]:
    """The rows of a file that has a JSON object on each line."""
    line, start = lines.number + 1, lines.start
    for text in lines:
        yield _json_row(line, start, text)
        line, start = lines.number + 1, lines.start


def _header(lines: Lines) -> list[str]:
    try:
        for row in csv.reader(iter(lines), strict=True):
            if any(names := [mapped(name, "header") for name in row]):
                return names
    except csv.Error as error:
        raise Refused(f"line {lines.number}, the header, is no row of CSV: {error}") from None
    raise Refused("has no header")


def _json_row(line: int, start: int, text: str) -> Row:
    if not text.strip():
        return Row(line, start, {})
    try:
        cells = msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return Row(line, start, {}, f"is no JSON object: {error}")
    return Row(line, start, {name: cells[name] for name in COLUMNS if cells.get(name) not in (None, "")})
