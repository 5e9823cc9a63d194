"""Rows fall into their columns by name, whatever their order, and what does not fall into them says so."""

import csv
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.crm_rows import REQUIRED, Row, csv_rows, json_rows, read_layout
from rewards.crm_text import Refused
from tests.rewards.crm import HEADER, a_json_row, a_row, lines_of


def rows_of(text: str) -> list[Row]:
    lines = lines_of(text.encode())
    return list(csv_rows(lines, read_layout(lines)))


def told(text: str) -> list[Row]:
    return [row for row in rows_of(text) if not row.is_empty]


def test_columns_are_found_by_name_in_any_order_and_others_are_ignored() -> None:
    names = ["note", *reversed(REQUIRED), "price"]
    (row,) = told(",".join(names) + "\n" + ",".join(f"<{name}>" for name in names))
    assert row.cells == {name: f"<{name}>" for name in REQUIRED}


def test_names_may_be_written_in_full_width_and_stand_below_blank_lines() -> None:
    assert len(told(f"\n ,,\n　{HEADER.replace('line', 'ｌｉｎｅ')}\n{a_row()}")) == 1


@pytest.mark.parametrize("name", REQUIRED)
def test_a_file_without_a_required_column_is_refused(name: str) -> None:
    with pytest.raises(Refused, match=f"line 1, the header, has no column {name}"):
        rows_of(",".join(column for column in REQUIRED if column != name) + "\n")


def test_a_file_with_two_columns_of_a_name_is_refused() -> None:
    with pytest.raises(Refused, match="two columns sku"):
        rows_of(f"{HEADER},sku\n")


@pytest.mark.parametrize("header", [f'{HEADER},"half', f"{HEADER}\rTG1,L1", f"{HEADER},{'x' * 200_000}"])
def test_a_header_that_is_no_row_of_csv_is_refused(header: str) -> None:
    with pytest.raises(Refused, match="line 1, the header, is no row of CSV: "):
        read_layout(lines_of(header.encode()))


def test_a_file_without_a_header_is_refused() -> None:
    with pytest.raises(Refused, match="no header"):
        rows_of("\n,,,\n")


@pytest.mark.parametrize("blank", ["", ",,,,,,,,,", ",", "  ,　,", HEADER, f"\ufeff{HEADER}"])
def test_blank_lines_commas_and_repeated_headers_are_empty_rows(blank: str) -> None:
    first, second, third = rows_of(f"{HEADER}\n{a_row()}\n{blank}\n{a_row()}")
    assert [first.is_empty, second.is_empty, third.is_empty] == [False, True, False]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_any_line_end_will_do_and_the_last_may_be_missing(end: str, last: str) -> None:
    text = end.join([HEADER, a_row("TG1"), a_row("TG2")]) + last
    assert [row.cells["order_group"] for row in told(text)] == ["TG1", "TG2"]


def test_a_quoted_line_break_belongs_to_its_cell_and_rows_know_their_first_line() -> None:
    quoted = a_row("TG1").replace("SKU-L1", '"a\r\nb"')
    text = f"{HEADER}\n{quoted}\n{a_row('TG2')}\n"
    first, second = told(text)
    assert first.cells["sku"] == "a\r\nb"
    assert (first.line, second.line) == (2, 4)
    assert text.encode()[second.start :] == f"{a_row('TG2')}\n".encode()


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (a_row() + ",more", "has 11 cells, not 10"),
        ("TG1,L1,M1", "has 3 cells, not 10"),
        (a_row(sku='"a"b'), "is no row of CSV"),
        (a_row(return_id='"never closed'), "is no row of CSV"),
        (a_row(sku="a\rb"), "is no row of CSV"),
    ],
)
def test_a_row_that_does_not_fall_into_the_columns_has_a_problem(row: str, problem: str) -> None:
    (found,) = told(f"{HEADER}\n{row}")
    assert found.problem
    assert found.problem.startswith(problem)


@given(st.lists(st.lists(st.text(st.sampled_from('茶功a,"\n\r ')), min_size=10, max_size=10)))
def test_whatever_a_csv_writer_writes_is_read_as_python_reads_it(table: list[list[str]]) -> None:
    written = StringIO(newline="")
    csv.writer(written).writerows([HEADER.split(","), *table])
    text = TextIOWrapper(BytesIO(written.getvalue().encode("cp950")), "cp950", newline="")
    expected = [row for row in csv.DictReader(text) if any(cell.strip() for cell in row.values())]
    lines = lines_of(written.getvalue().encode("cp950"), "cp950")
    rows = [row.cells for row in csv_rows(lines, read_layout(lines)) if not row.is_empty]
    assert rows == [{name: cell for name, cell in row.items() if cell.strip()} for row in expected]


def test_a_quote_that_is_never_closed_ends_somewhere() -> None:
    rows = told(f"{HEADER}\n" + a_row(return_id='"open') + "\n" + f"{a_row('TG2')}\n" * 4_000)
    assert rows[0].problem
    assert {row.cells["order_group"] for row in rows[1:]} == {"TG2"}


def test_json_has_an_object_on_each_line() -> None:
    rows = list(json_rows(lines_of(f"{a_json_row(quantity=2, note='x')}\n\n[1]\n{a_json_row()[:-5]}\n".encode())))
    assert rows[0].cells["quantity"] == 2
    assert "note" not in rows[0].cells
    assert rows[1].is_empty
    assert [row.problem is not None for row in rows] == [False, False, True, True]
    assert [row.line for row in rows] == [1, 2, 3, 4]
