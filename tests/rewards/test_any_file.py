"""Whatever a shop puts into its folder is read to its end: each row is accepted, skipped, or set aside with a reason,
or the whole is refused with one.
"""

import json
from contextlib import suppress

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from rewards.crm_columns import checked
from rewards.crm_messages import parse_batch
from rewards.crm_rows import COLUMNS
from rewards.errors import RewardsError
from rewards.identifiers import LONGEST
from tests.rewards.crm import HEADER, Import, a_json_row, a_row
from tests.rewards.spoilt import DEEP, odd, spoilt

ENCODINGS = ("utf-8", "utf-8-sig", "cp950", "utf-16", "latin-1")
SPREADSHEETS = ["２", "²", "1,000", "2.02609E+14", "46355.4", "9" * 5000, "2026-02-30T10:00:00+08:00"]
SYNTAX = ["", '"', '""', ",", "\r", "\x00", "茶", "許功蓋", "x" * 4 * LONGEST]
WORDS = ["paid", "returned", "cancelled", "TWD", "0"]
cells = st.text(max_size=10) | st.sampled_from(SPREADSHEETS + SYNTAX + WORDS)
rows = st.one_of(
    st.builds(lambda column, cell: a_row(**{column: cell}), st.sampled_from(HEADER.split(",")), cells),
    st.lists(cells, max_size=12).map(",".join),
    st.sampled_from([HEADER, "", ",,,,,,,,,", a_row(), a_row("TG2")]),
)
json_lines = spoilt(json.loads(a_json_row())).map(json.dumps) | st.text(max_size=30) | st.just(DEEP)


def told(content: bytes, name: str) -> None:
    """What is said of a file holds together, and its orders can go on."""
    done = Import()
    summary = done.read(content, f"crm/1/2026-11-30/{name}")
    assert summary.read == summary.accepted + summary.skipped + summary.rejected
    assert summary.rejected == len(done.rejects)
    assert all(reject.reason for reject in done.rejects)
    for batch in done.batches.waiting:
        assert parse_batch(msgspec.json.encode(batch).decode()) == batch
    msgspec.json.encode([summary, done.rejects])


@given(lines=st.lists(rows, max_size=8), end=st.sampled_from(["\n", "\r\n", "\r"]), encoding=st.sampled_from(ENCODINGS))
def test_rows_of_any_cells_in_any_encoding(lines: list[str], end: str, encoding: str) -> None:
    told(end.join([HEADER, *lines]).encode(encoding, "ignore"), "till.csv")


@given(st.lists(json_lines, max_size=8), st.sampled_from(ENCODINGS))
def test_lines_of_any_json(lines: list[str], encoding: str) -> None:
    told("\n".join(lines).encode(encoding, "ignore"), "till.jsonl")


@given(st.binary(max_size=200), st.sampled_from(["till.csv", "till.jsonl", "till.CSV", "till.xlsx", "till"]))
def test_bytes_that_mean_nothing(content: bytes, name: str) -> None:
    told(content, name)


@given(st.data())
def test_a_good_file_into_which_other_bytes_fell(data: st.DataObject) -> None:
    good = "\n".join([HEADER, a_row("TG許"), a_row("TG2")]).encode(data.draw(st.sampled_from(["utf-8", "cp950"])))
    place = data.draw(st.integers(0, len(good)))
    told(good[:place] + data.draw(st.binary(max_size=6)) + good[place + data.draw(st.integers(0, 6)) :], "till.csv")


@given(st.dictionaries(st.sampled_from(COLUMNS), odd))
def test_cells_of_any_kind_are_a_row_or_refused_with_our_own_error(cells: dict[str, object]) -> None:
    with suppress(RewardsError):
        checked(json.loads(a_json_row()) | cells)
