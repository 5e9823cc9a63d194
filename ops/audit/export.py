"""A folder of exports, as DynamoDB writes them to a bucket: a full one of each table, and what changed since, if any.

    <table>/AWSDynamoDB/<export>/manifest-summary.json    what and when; written last: without it an export is not whole
    <table>/AWSDynamoDB/<export>/manifest-files.json      a line for each data file, named from the bucket's top
    <table>/AWSDynamoDB/<export>/data/<file>.json.gz      a line for each item

A full export has the items; an incremental one has, of each item that changed, the image before and the one after.
"""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from ops.trouble import Trouble

TABLES = ("wallet", "coupons", "quota", "ledger")
"""In the order they are exported: what the ledger does not know yet when it is read, nobody has done before."""

WITHOUT_WALLET = ("quota", "ledger")
"""What there is to compare where points and coupons are with somebody else's service, whose books are its own."""


Instant = Annotated[datetime, Meta(tz=True)]
Decoded = TypeVar("Decoded")

NONE = Raw(b"")
"""No image: there was no such item yet, or there is none any more."""


class Summary(Struct, rename="camel", omit_defaults=True, kw_only=True):
    """The manifest of an export, as far as it matters here. Of an incremental one the times are its first and last."""

    manifest_files_s3_key: str = msgspec.field(name="manifestFilesS3Key")
    item_count: int
    export_type: str = "FULL_EXPORT"
    output_view: str = "NEW_AND_OLD_IMAGES"
    export_time: Instant | None = None
    export_from_time: Instant | None = None
    export_to_time: Instant | None = None

    @property
    def begins(self) -> datetime | None:
        return self.export_from_time

    @property
    def ends(self) -> datetime:
        at = self.export_to_time or self.export_time
        if at is None:
            raise Trouble(f"{self.manifest_files_s3_key}: the manifest beside it names no time.")
        return at


class DataFile(Struct, rename="camel", kw_only=True):
    """A line of the manifest of files."""

    item_count: int
    md5_checksum: str = msgspec.field(name="md5Checksum")
    etag: str
    data_file_s3_key: str = msgspec.field(name="dataFileS3Key")


class Listed(NamedTuple):
    """A data file of a table, and how many items its manifest says that it has."""

    table: str
    path: Path
    items: int


class Tables(NamedTuple):
    """What is to be compared: data files, how many items they have, and when each table was as they say."""

    files: list[Listed]
    items: int
    at: dict[str, datetime]


class Record(NamedTuple):
    """An item as written at `micros` since the epoch, NONE if it is gone; `before` tells where else it was counted."""

    keys: dict[str, Any]
    micros: int
    image: Raw
    before: Raw = NONE


class _Micros(Struct):
    n: int = msgspec.field(name="N")


class _Metadata(Struct, rename="pascal"):
    write_timestamp_micros: _Micros


class _Line(Struct, rename="pascal"):
    item: Raw = NONE
    metadata: _Metadata | None = None
    keys: dict[str, Any] | None = None
    old_image: Raw = NONE
    new_image: Raw = NONE


def find(folder: Path, names: Sequence[str] = TABLES) -> Tables:
    """The latest whole export of each table, with what has been exported of it since. Raises Trouble."""
    tables = Tables([], 0, {})
    for table in names:
        for summary in _latest(folder, table):
            items = 0
            listed = _inside(folder, summary.manifest_files_s3_key).read_bytes().splitlines()
            for line in filter(None, listed):
                file = _decoded(line, DataFile, summary.manifest_files_s3_key)
                tables.files.append(Listed(table, _inside(folder, file.data_file_s3_key), file.item_count))
                items += file.item_count
            if items != summary.item_count:
                where, meant = summary.manifest_files_s3_key, summary.item_count
                raise Trouble(f"{where} names files of {items:,} items, and the manifest beside it says {meant:,}.")
            tables = tables._replace(items=tables.items + summary.item_count)
            tables.at[table] = summary.ends
    return tables


def records(file: Path) -> Iterator[Record]:
    """The items of a data file, one after another: it is never held whole."""
    for line in filter(bytes.strip, _lines_of(file)):
        told = _decoded(line, _Line, str(file))
        if told.item:
            yield Record({}, 0, told.item)
        elif told.metadata and told.keys:
            yield Record(told.keys, told.metadata.write_timestamp_micros.n, told.new_image, told.old_image)
        else:
            raise Trouble(f"{file} holds a line that is of no export of DynamoDB's: {line[:80]!r}")


def _lines_of(file: Path) -> Iterator[bytes]:
    try:
        with gzip.open(file) as lines:
            yield from lines
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Trouble(f"{file} cannot be unpacked: {error}.") from None


def _decoded(line: bytes, type: type[Decoded], where: str) -> Decoded:
    """Numbers are strings in DynamoDB's JSON."""
    try:
        return msgspec.json.decode(line, type=type, strict=False)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Trouble(f"{where} holds what is of no export of DynamoDB's: {error}.") from None


def _latest(folder: Path, table: str) -> list[Summary]:
    found = sorted(folder.glob(f"{table}/AWSDynamoDB/*/manifest-summary.json"))
    summaries = sorted((_decoded(path.read_bytes(), Summary, str(path)) for path in found), key=lambda s: s.ends)
    full = [each for each in summaries if each.export_type == "FULL_EXPORT"]
    if not full:
        raise Trouble(f"{folder} holds no whole export of the table {table}: look for {table}/AWSDynamoDB/ there.")
    chain = [full[-1]]
    for each in summaries:
        if each.begins and each.ends > chain[-1].ends:
            if each.begins > chain[-1].ends:
                raise Trouble(f"The exports of {table} have a gap: from {chain[-1].ends} to {each.begins}.")
            if each.output_view != "NEW_AND_OLD_IMAGES":
                raise Trouble(f"An incremental export of {table} lacks the images before: {each.output_view}.")
            chain.append(each)
    return chain


def _inside(folder: Path, key: str) -> Path:
    """Where an object of the bucket lies in the folder: never outside it, whatever a manifest says."""
    path = (folder / key).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise Trouble(f"A manifest names {key}, which is not in {folder}.")
    return path
