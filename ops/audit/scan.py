"""The tables as they are now, in a folder, just as DynamoDB exports them.

It reads every item: on AWS that is paid for, and takes from what the table can do. The exports of every night cost the
table nothing.
"""

import base64
import gzip
import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ops import clock
from ops.audit.export import TABLES, DataFile, Summary
from ops.stack import Stack

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ITEMS_IN_A_FILE = 50_000


def scan(stack: Stack, folder: Path, tables: Sequence[str] = TABLES, *, items_in_a_file: int = ITEMS_IN_A_FILE) -> None:
    """Write the tables out, in the order the audit needs them."""
    for table in tables:
        at = clock.now(stack)
        items = items_of(stack.dynamodb, stack[f"{table.capitalize()}TableName"])
        write(folder, table, items, at, items_in_a_file=items_in_a_file)


def items_of(client: "DynamoDBClient", table: str) -> Iterable[Any]:
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return (item for page in pages for item in page["Items"])


def write(
    folder: Path, table: str, items: Iterable[Any], at: datetime, *, items_in_a_file: int = ITEMS_IN_A_FILE
) -> None:
    """A full export of one table: its data files, the list of them, and at last the summary that says it is whole."""
    place = f"{table}/AWSDynamoDB/{at:%Y%m%d%H%M%S}"
    (folder / place / "data").mkdir(parents=True)
    files, left = list[DataFile](), iter(items)
    for first in left:
        key = f"{place}/data/{len(files) + 1:06}.json.gz"
        files.append(_write_file(folder, key, chain([first], islice(left, items_in_a_file - 1))))
    listed = f"{place}/manifest-files.json"
    (folder / listed).write_bytes(b"".join(msgspec.json.encode(file) + b"\n" for file in files))
    summary = Summary(manifest_files_s3_key=listed, item_count=sum(file.item_count for file in files), export_time=at)
    (folder / place / "manifest-summary.json").write_bytes(msgspec.json.encode(summary))


def _write_file(folder: Path, key: str, items: Iterable[Any]) -> DataFile:
    written = 0
    with gzip.open(folder / key, "wb") as lines:
        for item in items:
            lines.write(msgspec.json.encode({"Item": item}) + b"\n")
            written += 1
    with (folder / key).open("rb") as packed:
        md5 = hashlib.file_digest(packed, "md5")
    return DataFile(
        item_count=written,
        md5_checksum=base64.b64encode(md5.digest()).decode(),
        etag=md5.hexdigest(),
        data_file_s3_key=key,
    )
