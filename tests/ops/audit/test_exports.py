"""Exports as DynamoDB writes them: full and incremental, in many files, and refused where they are not whole."""

import gzip
import json
import resource
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.items import reward_item
from ops.audit.export import find, records
from ops.audit.run import audit, may_open
from ops.trouble import Trouble
from tests.fakes.exported import READ_AT, WAITS, Exported
from tests.fakes.world import TIMETABLE

DAY = timedelta(days=1)
Image = dict[str, Any]


def at(table: str, folder: Path) -> Path:
    (summary,) = folder.glob(f"{table}/AWSDynamoDB/*/manifest-summary.json")
    return summary


def write_changes(folder: Path, table: str, since: datetime, until: datetime, *lines: Image, **summary: object) -> None:
    """An incremental export."""
    place = f"{table}/AWSDynamoDB/{until:%Y%m%d%H%M%S}-changes"
    (folder / place / "data").mkdir(parents=True)
    (folder / place / "data" / "1.json.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    file = {"itemCount": len(lines), "md5Checksum": "", "etag": "", "dataFileS3Key": f"{place}/data/1.json.gz"}
    (folder / place / "manifest-files.json").write_text(json.dumps(file) + "\n")
    told = {
        "exportType": "INCREMENTAL_EXPORT",
        "outputView": "NEW_AND_OLD_IMAGES",
        "exportFromTime": since.isoformat(),
        "exportToTime": until.isoformat(),
        "manifestFilesS3Key": f"{place}/manifest-files.json",
        "itemCount": len(lines),
    }
    (folder / place / "manifest-summary.json").write_text(json.dumps(told | summary))


def line(table: str, before: Image | None, after: Image | None, micros: int) -> Image:
    keys = {"ledger": ("Order", "Item"), "wallet": ("Member", "Item"), "quota": ("Counted",)}[table]
    image = after or before or {}
    told = {"Metadata": {"WriteTimestampMicros": {"N": str(micros)}}, "Keys": {key: image[key] for key in keys}}
    return told | {name: each for name, each in (("OldImage", before), ("NewImage", after)) if each}


def test_what_changed_since_the_full_export_counts(tmp_path: Path) -> None:
    """In a day the reward that waited was cancelled, and its place given back; the day after someone undid that."""
    tables = Exported()
    tables.write(tmp_path)
    waited = tables.ledger["waits"]
    cancelled = reward_item(WAITS.cancel("gone", by="test", at=READ_AT))
    for table in ("wallet", "coupons"):
        write_changes(tmp_path, table, READ_AT, READ_AT + 2 * DAY)
    one, none = tables.quota["shard"], tables.quota["shard"] | {"Used": {"N": "0"}}
    write_changes(tmp_path, "quota", READ_AT, READ_AT + DAY, line("quota", one, none, 1))
    write_changes(tmp_path, "quota", READ_AT + DAY, READ_AT + 2 * DAY, line("quota", none, one, 2))
    write_changes(tmp_path, "ledger", READ_AT, READ_AT + DAY, line("ledger", waited, cancelled, 1))
    write_changes(tmp_path, "ledger", READ_AT + DAY, READ_AT + 2 * DAY, line("ledger", cancelled, waited, 2))
    assert audit(tmp_path, TIMETABLE).findings == []
    assert audit(tmp_path, TIMETABLE).as_of == READ_AT + 2 * DAY


def test_a_place_given_back_since_is_held_no_more(tmp_path: Path) -> None:
    tables = Exported()
    tables.write(tmp_path)
    cancelled = reward_item(WAITS.cancel("gone", by="test", at=READ_AT - DAY))
    write_changes(tmp_path, "ledger", READ_AT, READ_AT + DAY / 24, line("ledger", tables.ledger["waits"], cancelled, 1))
    assert {each.kind for each in audit(tmp_path, TIMETABLE).findings} == {"quota", "history"}


def test_what_was_deleted_since_is_gone(tmp_path: Path) -> None:
    tables = Exported()
    tables.write(tmp_path)
    write_changes(tmp_path, "ledger", READ_AT, READ_AT + DAY / 24, line("ledger", tables.ledger["order"], None, 1))
    assert {each.kind for each in audit(tmp_path, TIMETABLE).findings} == {"orphan"}


ODD = {"Member": {"S": "1#M1"}, "Item": {"S": "BONUS"}, "Points": {"N": "5"}}


def test_what_could_not_be_read_and_was_mended_or_deleted_since_is_no_finding(tmp_path: Path) -> None:
    tables = Exported()
    garbled, mended = tables.ledger["waits"] | {"Place": {"S": "none"}}, tables.ledger["waits"]
    tables.ledger["waits"] = garbled
    tables.wallet["odd"] = ODD
    tables.write(tmp_path)
    assert {each.kind for each in audit(tmp_path, TIMETABLE).findings} >= {"unreadable"}
    write_changes(tmp_path, "wallet", READ_AT, READ_AT + DAY / 24, line("wallet", ODD, None, 1))
    write_changes(tmp_path, "ledger", READ_AT, READ_AT + DAY / 24, line("ledger", garbled, mended, 1))
    assert audit(tmp_path, TIMETABLE).findings == []


def test_what_became_unreadable_since_is_found(tmp_path: Path) -> None:
    tables = Exported()
    tables.write(tmp_path)
    write_changes(tmp_path, "wallet", READ_AT, READ_AT + DAY / 24, line("wallet", None, ODD, 1))
    write_changes(tmp_path, "ledger", READ_AT, READ_AT + DAY / 24)
    (found,) = audit(tmp_path, TIMETABLE).findings
    assert (found.kind, found.about) == ("unreadable", 'wallet [{"S":"1#M1"},{"S":"BONUS"}]')


def test_what_was_spoilt_and_then_deleted_is_gone(tmp_path: Path) -> None:
    tables = Exported()
    tables.write(tmp_path)
    good, spoilt = tables.ledger["waits"], tables.ledger["waits"] | {"Place": {"S": "none"}}
    write_changes(tmp_path, "ledger", READ_AT, READ_AT + DAY / 48, line("ledger", good, spoilt, 1))
    write_changes(tmp_path, "ledger", READ_AT + DAY / 48, READ_AT + DAY / 24, line("ledger", spoilt, None, 2))
    assert {each.kind for each in audit(tmp_path, TIMETABLE).findings} == {"lost", "orphan", "quota"}


def test_each_that_cannot_be_read_is_a_finding_though_they_begin_alike(tmp_path: Path) -> None:
    tables = Exported()
    for number in range(2):
        tables.wallet[f"odd {number}"] = ODD | {"Item": {"S": f"{'BONUS' * 100}{number}"}}
    tables.write(tmp_path)
    assert [each.kind for each in audit(tmp_path, TIMETABLE).findings] == ["unreadable"] * 2


def test_a_shell_s_low_limit_of_open_files_is_raised_as_far_as_needed() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        may_open(100)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (256, hard)
        may_open(500)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (600, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_in_many_parts_and_processes_the_same_is_found(tmp_path: Path) -> None:
    tables = Exported()
    tables.wallet["reclaims"] |= {"Count": {"N": "2"}}
    tables.quota["shard"] |= {"Used": {"N": "2"}}
    tables.coupons["stock"] |= {"Issued": {"N": "4"}}
    tables.write(tmp_path)
    whole = audit(tmp_path, TIMETABLE)
    in_parts = audit(tmp_path, TIMETABLE, processes=2, items_in_a_part=3)
    assert (in_parts.items, in_parts.orders, in_parts.rewards) == (whole.items, whole.orders, whole.rewards)
    assert sorted(each.kind for each in in_parts.findings) == ["account", "quota", "stock"]
    assert sorted(map(repr, in_parts.findings)) == sorted(map(repr, whole.findings))


def test_the_latest_whole_export_is_taken(tmp_path: Path) -> None:
    Exported().write(tmp_path, READ_AT - DAY)
    tables = Exported()
    tables.wallet["reclaims"] |= {"Count": {"N": "2"}}
    tables.write(tmp_path)
    assert {each.kind for each in audit(tmp_path, TIMETABLE).findings} == {"account"}
    (tmp_path / f"wallet/AWSDynamoDB/{READ_AT:%Y%m%d%H%M%S}/manifest-summary.json").unlink()
    assert find(tmp_path).at["wallet"] == READ_AT - DAY


def test_items_are_read_as_dynamodb_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "data.json.gz"
    file.write_bytes(gzip.compress(b'{"Item":{"Order":{"S":"1#TG"},"Version":{"N":"1"}}}\n\n'))
    (record,) = records(file)
    assert (json.loads(bytes(record.image)), record.micros) == ({"Order": {"S": "1#TG"}, "Version": {"N": "1"}}, 0)


def test_exports_of_two_nights_are_not_compared(tmp_path: Path) -> None:
    Exported().write(tmp_path, READ_AT - DAY)
    write_changes(tmp_path, "ledger", READ_AT - DAY, READ_AT)
    with pytest.raises(Trouble, match="not of one night"):
        audit(tmp_path, TIMETABLE)


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    Exported().write(tmp_path)
    at("quota", tmp_path).unlink()
    with pytest.raises(Trouble, match="no whole export of the table quota"):
        audit(tmp_path, TIMETABLE)


def test_a_gap_between_exports_is_named(tmp_path: Path) -> None:
    Exported().write(tmp_path)
    write_changes(tmp_path, "ledger", READ_AT + DAY, READ_AT + 2 * DAY)
    with pytest.raises(Trouble, match="have a gap"):
        audit(tmp_path, TIMETABLE)


def test_changes_without_the_images_before_are_refused(tmp_path: Path) -> None:
    Exported().write(tmp_path)
    write_changes(tmp_path, "ledger", READ_AT, READ_AT + DAY, outputView="NEW_IMAGE")
    with pytest.raises(Trouble, match="lacks the images before"):
        audit(tmp_path, TIMETABLE)


def test_a_manifest_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    Exported().write(tmp_path / "exports")
    summary = at("wallet", tmp_path / "exports")
    told = json.loads(summary.read_text())
    summary.write_text(json.dumps(told | {"manifestFilesS3Key": "../secret"}))
    with pytest.raises(Trouble, match="is not in"):
        audit(tmp_path / "exports", TIMETABLE)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.json.gz"
    file.write_bytes(gzip.compress(b'{"Something": "else"}\n'))
    with pytest.raises(Trouble, match="no export of DynamoDB's"):
        list(records(file))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (gzip.compress(b'{"Item":{}}\n' * 1_000)[:-9], "cannot be unpacked"),
        (b"no gzip", "cannot be unpacked"),
        (gzip.compress(b"no json\n"), "of no export"),
        (gzip.compress(b"\xff\n"), "of no export"),
    ],
    ids=["cut off", "not packed", "no JSON", "no text"],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "data.json.gz"
    file.write_bytes(content)
    with pytest.raises(Trouble, match=rf"data\.json\.gz .*{problem}"):
        list(records(file))


def test_files_that_are_left_out_or_empty_are_not_taken_for_empty_tables(tmp_path: Path) -> None:
    Exported().write(tmp_path)
    (data,) = tmp_path.glob("quota/AWSDynamoDB/*/data/*.json.gz")
    data.write_bytes(gzip.compress(b""))
    with pytest.raises(Trouble, match="has 0 items, and its manifest says"):
        audit(tmp_path, TIMETABLE)
    (files,) = tmp_path.glob("quota/AWSDynamoDB/*/manifest-files.json")
    files.write_text("")
    with pytest.raises(Trouble, match=r"manifest-files\.json names files of 0 items"):
        audit(tmp_path, TIMETABLE)


@pytest.mark.parametrize("written", ["no json", '{"exportTime": "2026-11-30T03:00:00"}', "{}"])
def test_a_manifest_that_is_none_is_named(tmp_path: Path, written: str) -> None:
    Exported().write(tmp_path)
    summary = at("quota", tmp_path)
    told = json.loads(summary.read_text())
    summary.write_text(json.dumps(told | json.loads(written)) if "exportTime" in written else written)
    with pytest.raises(Trouble, match=r"manifest-summary\.json"):
        audit(tmp_path, TIMETABLE)
