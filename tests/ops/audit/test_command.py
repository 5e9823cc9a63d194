"""`rewards audit` on tables as they are, and what it tells."""

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
import time_machine
from moto import mock_aws

from adapters.findings import S3Findings
from ops.audit.command import SHOWN, Result, audit_as_it_is, words
from ops.audit.export import TABLES, WITHOUT_WALLET
from ops.audit.run import Audit, audit
from ops.audit.scan import scan
from ops.stack import Stack
from ops.trouble import Trouble
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
    provider = "wallet"


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


def test_where_a_service_is_the_provider_the_wallets_tables_are_not_read(stack: Stack) -> None:
    fill(stack, Exported())
    for table in KEYS.keys() - {"quota"}:
        stack.dynamodb.delete_table(TableName=table)
    stack.provider = "http"
    with time_machine.travel(READ_AT, tick=False):
        audited = audit_as_it_is(stack)
    assert (audited.compared, audited.rewards, audited.findings) == (("quota", "ledger"), 3, [])


@pytest.mark.parametrize(
    ("settings", "provider"), [('{"PROVIDER": "http"}', "http"), ('{"PROVIDER": "wallet"}', "wallet")]
)
def test_the_stack_tells_which_its_provider_is(settings: str, provider: str) -> None:
    stack = Stack(boto3.Session())
    stack.outputs = {"Settings": settings}
    assert stack.provider == provider


def test_a_stack_that_does_not_tell_its_provider_is_of_another_version() -> None:
    stack = Stack(boto3.Session())
    stack.outputs = {"Settings": '{"SHARDS": "16"}'}
    with pytest.raises(Trouble, match="another version"):
        assert stack.provider


def test_tables_are_read_file_by_file(stack: Stack, tmp_path: Path) -> None:
    fill(stack, Exported())
    with time_machine.travel(READ_AT, tick=False):
        scan(stack, tmp_path, items_in_a_file=2)
    audited = audit(tmp_path, TIMETABLE)
    assert (audited.items, audited.findings) == (22, [])
    assert len(list(tmp_path.glob("wallet/AWSDynamoDB/*/data/*"))) == 2


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


def a_result(tables: list[Finding], of_the_stream: list[Finding], compared: tuple[str, ...] = TABLES) -> Result:
    return Result(Audit(READ_AT, compared, 12_345, 1_000, 1_200, tables), of_the_stream)


def test_it_says_what_was_looked_at_and_that_nothing_was_found() -> None:
    assert list(words(a_result([], []))) == [
        "12,345 items as of 2026-11-20 04:00 UTC: 1,000 orders, 1,200 rewards",
        "compared: wallet, coupons, quota, ledger",
        "[green]✓[/] nothing found in the tables",
        "[green]✓[/] nothing found in the stream",
    ]


def test_it_says_what_could_not_be_compared() -> None:
    _, compared, *left_out, _, _ = words(a_result([], [], WITHOUT_WALLET))
    assert compared == "compared: quota, ledger"
    assert left_out == ["[yellow]![/] not compared: what the provider did, whose books are its own"]


def test_a_finding_is_a_line_and_too_many_are_counted() -> None:
    _, _, found, first, *_, more, stream = words(a_result([LOST] * (SHOWN + 7), []))
    assert found == f"[red]✗[/] {SHOWN + 7} found in the tables"
    assert first == "  [bold]lost[/]  1/TG[1]/P (version 3): nobody finds it"
    assert (more, stream) == ("  and 7 more: `--json` lists them all", "[green]✓[/] nothing found in the stream")
