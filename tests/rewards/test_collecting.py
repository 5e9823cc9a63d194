"""A file is read to its end however often time runs out, and whoever reads it sends the same and says the same."""

from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.collecting import FILE_BYTES, READERS_MAX, FileReplaced, read, send_files, send_shops
from rewards.crm_chunks import BATCH_BYTES, BATCH_ORDERS, CHUNK_ROWS
from rewards.crm_files import FOLDERS, CrmFile, Summary
from rewards.crm_messages import Batch, DelayedCollection
from tests.fakes.crm_files import MemoryFiles
from tests.fakes.queues import MemoryQueue
from tests.rewards.crm import HEADER, KEY, Import, a_file, a_json_row, a_row

ROWS = st.sampled_from(
    [
        *(a_row(f"TG{order}", f"L{line}") for order in range(4) for line in range(3)),
        a_row("TG許", "茶"),
        a_row("TG0", quantity="two"),
        "ragged,row",
        HEADER,
        ",,,,,,,,,",
        "",
        a_row("TG9", return_id='"R\n1"', status="returned"),
    ]
)


def imported(content: bytes, chunks_in_time: int = 1_000_000, chunk_rows: int = CHUNK_ROWS) -> Import:
    done = Import(chunks_in_time=chunks_in_time, chunk_rows=chunk_rows)
    done.read(content)
    return done


@given(st.lists(ROWS, max_size=12), st.sampled_from(["utf-8", "cp950"]))
def test_reading_in_pieces_sends_what_reading_at_once_sends(rows: list[str], encoding: str) -> None:
    content = "\r\n".join([HEADER, *rows]).encode(encoding)
    at_once, in_pieces = imported(content, chunk_rows=3), imported(content, chunks_in_time=1, chunk_rows=3)
    assert in_pieces.batches.waiting == at_once.batches.waiting
    assert in_pieces.files.rejects == at_once.files.rejects
    assert in_pieces.files.summaries == at_once.files.summaries


@given(st.lists(ROWS, max_size=12))
def test_every_row_is_accepted_skipped_or_rejected(rows: list[str]) -> None:
    content = "\n".join([HEADER, *rows]).encode()
    done = imported(content, chunk_rows=3)
    (summary,) = done.files.summaries.values()
    assert summary.read == summary.accepted + summary.skipped + summary.rejected
    assert summary.rejected == len(done.rejects)
    assert (summary.rejects is not None) == bool(done.rejects)


def test_no_batch_cuts_an_order_and_none_is_too_large() -> None:
    rows = [a_row(f"TG{order}", f"L{line}") for order in range(60) for line in range(3)]
    batches = imported(a_file(*rows)).batches.waiting
    assert [len(batch.orders) for batch in batches] == [BATCH_ORDERS, BATCH_ORDERS, 10]
    assert {len(order.lines) for batch in batches for order in batch.orders} == {3}
    assert {(batch.shop_id, batch.file) for batch in batches} == {("1", KEY)}


def test_large_orders_go_in_batches_of_their_own() -> None:
    rows = [a_row(f"TG{order}", f"L{line}", sku="茶" * 90) for order in range(6) for line in range(200)]
    batches = imported(a_file(*rows)).batches.waiting
    assert len(batches) > 1
    assert BATCH_BYTES < 1024 * 1024


def test_a_reader_whose_time_is_up_still_advances_by_a_chunk() -> None:
    rows = [a_row(f"TG{number}") for number in range(CHUNK_ROWS * 3)]
    done = imported(a_file(*rows), chunks_in_time=0)
    assert done.readers == 3
    assert len(done.orders) == len(rows)


def test_a_file_no_chain_of_readers_gets_through_is_refused_from_there_on() -> None:
    rows = [a_row(f"TG{number}") for number in range(CHUNK_ROWS * (READERS_MAX + 1))]
    done = imported(a_file(*rows), chunks_in_time=0)
    (summary,) = done.files.summaries.values()
    assert summary.refused == f"is not read through by {READERS_MAX} readers: send it in parts"
    assert summary.accepted == len(done.orders) == CHUNK_ROWS * READERS_MAX


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (a_file(a_row()) + b"\xff", "is neither UTF-8 nor cp950"),
        (b"", "has no header"),
        (b"order_group,line\n", "has no column member_id"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_whole(content: bytes, why: str) -> None:
    done = Import()
    summary = done.read(content)
    assert summary.refused
    assert why in summary.refused
    assert (summary.read, done.orders) == (0, [])


def test_a_file_that_is_neither_csv_nor_json_lines_is_refused() -> None:
    assert Import().read(b"PK", "crm/1/2026-11-30/till.xlsx").refused == "is neither .csv nor .jsonl"


def test_a_file_too_large_is_refused_unread() -> None:
    files, batches = MemoryFiles(), MemoryQueue[Batch]()
    file = CrmFile(KEY, etag="of what nobody can open", size=FILE_BYTES + 1)
    read("1", file, None, files, batches, MemoryQueue[DelayedCollection](), out_of_time=lambda: False)
    refused = files.summaries[file.summary_key].refused
    assert refused
    assert "send it in parts" in refused
    assert batches.waiting == []


def test_json_lines_are_read_on_in_pieces_too() -> None:
    content = "\n".join(a_json_row(order_group=f"TG{number}") for number in range(CHUNK_ROWS * 2)).encode()
    done = Import(chunks_in_time=0)
    done.read(content, "crm/1/2026-11-30/till.JSONL")
    assert (done.readers, len(done.orders)) == (2, CHUNK_ROWS * 2)


def test_a_file_replaced_meanwhile_is_left_to_the_next_run() -> None:
    files, batches, collectors = MemoryFiles(), MemoryQueue[Batch](), MemoryQueue[DelayedCollection]()
    file = files.put(KEY, a_file(a_row()))
    files.put(KEY, a_file(a_row("TG2")))
    done = read("1", file, None, files, batches, collectors, out_of_time=lambda: False)
    assert done == FileReplaced()
    assert (batches.waiting, files.summaries) == ([], {})


def test_every_shop_is_looked_through_at_its_own_second_of_a_quarter_of_an_hour() -> None:
    files, collectors = MemoryFiles(), MemoryQueue[DelayedCollection]()
    for shop in range(100):
        files.put(f"crm/門市 {shop}/2026-11-30/a.csv", b"")
    assert len(send_shops(files, collectors, spread=timedelta(minutes=15))) == 100
    seconds = Counter(each.delay.total_seconds() for each in collectors.waiting)
    assert max(seconds) < 900
    assert len(seconds) > 80
    assert {each.collection.shop for each in collectors.waiting} == {f"門市 {shop}" for shop in range(100)}


class TestFilesToRead:
    def found(self, files: MemoryFiles) -> list[str]:
        return send_files("1", files, MemoryQueue[DelayedCollection]())

    def test_those_without_a_summary_of_this_version(self) -> None:
        files = MemoryFiles()
        new = files.put("crm/1/2026-11-30/new 檔.csv", b"a")
        done = files.put("crm/1/2026-11-30/done.csv", b"b")
        corrected = files.put("crm/1/2026-11-29/corrected.jsonl", b"c")
        files.put("crm/2/2026-11-29/of another shop.csv", b"c")
        for file, etag in ((done, done.etag), (corrected, "before")):
            files.write_summary(file, Summary(file=file.key, etag=etag, read=0, accepted=0, skipped=0, rejected=0))
        assert self.found(files) == [corrected.key, new.key]

    def test_those_of_the_last_date_folders(self) -> None:
        files = MemoryFiles()
        for day in range(FOLDERS + 3):
            files.put(f"crm/1/2026-{10 + day // 30}-{1 + day % 30:02}/a.csv", b"")
        files.put("crm/1/notes/a.csv", b"")
        found = self.found(files)
        assert len(found) == FOLDERS
        assert found[0] == "crm/1/2026-10-04/a.csv"

    def test_rejects_and_summaries_are_no_files(self) -> None:
        done = imported(a_file("ragged"))
        assert done.files.rejects
        assert send_files("1", done.files, MemoryQueue[DelayedCollection]()) == []
