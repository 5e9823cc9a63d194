"""`rewards audit` on tables as they are, and what it tells."""

from collections.abc import Iterator

import boto3
import pytest
import time_machine
from moto import mock_aws

from adapters.findings import S3Findings
from ops.audit import scan
from ops.audit.command import SHOWN, Result, audit_as_it_is, words
from ops.audit.export import TABLES
from ops.audit.run import Audit
from ops.stack import Stack
from rewards.auditing.finding import Finding
from tests.fakes.exported import READ_AT, Exported
from tests.fakes.tables import make_ledger_table, make_table
from tests.fakes.world import TIMETABLE

LOST = Finding("lost", "1/TG[1]/P", "nobody finds it", 3)
KEYS = {"wallet": ("Member", "Item"), "coupons": ("Item",), "quota": ("Counted",)}


class Shop(Stack):
    """A stack that is made of tables only."""

    outputs = {f"{table.capitalize()}TableName": table for table in TABLES}  # noqa: RUF012
    timetable = TIMETABLE


@pytest.fixture
def stack() -> Iterator[Stack]:
    """The small shop's tables, in tables."""
    with mock_aws():
        stack = Shop(boto3.Session())
        make_ledger_table(stack.dynamodb, "ledger")
        for table, keys in KEYS.items():
            make_table(stack.dynamodb, table, *keys)
        yield stack


def fill(stack: Stack, tables: Exported) -> None:
    for table in TABLES:
        for item in getattr(tables, table).values():
            stack.dynamodb.put_item(TableName=table, Item=item)


def test_the_tables_of_a_running_stack_are_compared(stack: Stack) -> None:
    tables = Exported()
    tables.wallet["reclaims"] |= {"Count": {"N": "2"}}
    fill(stack, tables)
    with time_machine.travel(READ_AT, tick=False):
        audited = audit_as_it_is(stack)
    assert (audited.as_of, audited.items, audited.rewards) == (READ_AT, 22, 3)
    assert [each.kind for each in audited.findings] == ["account"]


def test_tables_are_read_file_by_file(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "ITEMS_IN_A_FILE", 2)
    fill(stack, Exported())
    with time_machine.travel(READ_AT, tick=False):
        assert (audit_as_it_is(stack).items, audit_as_it_is(stack).findings) == (22, [])


def test_findings_in_the_bucket_are_listed_until_they_are_taken_away() -> None:
    with mock_aws():
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="findings", CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
        kept = S3Findings(s3, "findings")
        kept.keep([LOST])
        assert kept.open() == [LOST]
        (key,) = (each["Key"] for each in s3.list_objects_v2(Bucket="findings")["Contents"])
        s3.delete_object(Bucket="findings", Key=key)
        assert kept.open() == []


def a_result(tables: list[Finding], of_the_stream: list[Finding]) -> Result:
    return Result(Audit(READ_AT, 12_345, 1_000, 1_200, tables), of_the_stream)


def test_it_says_what_was_looked_at_and_that_nothing_was_found() -> None:
    assert list(words(a_result([], []))) == [
        "12,345 items as of 2026-11-20 04:00 UTC: 1,000 orders, 1,200 rewards",
        "[green]✓[/] nothing found in the tables",
        "[green]✓[/] nothing found in the stream",
    ]


def test_a_finding_is_a_line_and_too_many_are_counted() -> None:
    _, found, first, *_, more, stream = words(a_result([LOST] * (SHOWN + 7), []))
    assert found == f"[red]✗[/] {SHOWN + 7} found in the tables"
    assert first == "  [bold]lost[/]  1/TG[1]/P (version 3): nobody finds it"
    assert (more, stream) == ("  and 7 more: `--json` lists them all", "[green]✓[/] nothing found in the stream")
