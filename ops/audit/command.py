"""`rewards audit`: whether the ledger, the providers' books and the quotas agree, and what was found in the stream."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from adapters.findings import S3Findings
from ops.audit.export import TABLES, WITHOUT_WALLET
from ops.audit.run import Audit, audit
from ops.audit.scan import scan
from ops.stack import Stack, connect
from ops.terminal import Aws, Json, counted, out, plain, print_json, step
from rewards.auditing.finding import Finding

SHOWN = 100


class Result(Struct, frozen=True):
    """What the tables show now, and what the stream's audit has found so far."""

    tables: Audit
    of_the_stream: list[Finding]


def audit_tables(
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            exists=True,
            file_okay=False,
            help="A folder with what lies in the bucket of exports. Otherwise the tables are read as they are now.",
        ),
    ] = None,
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Compare all tables with each other, and list what the audit of the stream found.

    Status 0 if nothing was found, 1 if something was, 2 if the tables could not be compared.

    Every grant and every reclaim of the ledger is one entry of a provider under its key; sums, counts, codes, stocks
    and places agree; every history is whole; amounts and booking times are what the rules give; nothing is stuck, and
    nothing stands alone. While orders go on, what changed in the last hour is judged the next time. A provider that is
    somebody else's service keeps its books to itself: what it did is not compared then, and all else is.
    """
    stack = connect(aws=aws)
    result = Result(
        tables=audit(export, stack.timetable, compared_of(stack)) if export else audit_as_it_is(stack),
        of_the_stream=S3Findings(stack.s3, stack["FindingsBucketName"]).open(),
    )
    if as_json:
        print_json(result)
    else:
        for line in words(result):
            out.print(line)
    if result.tables.findings or result.of_the_stream:
        raise typer.Exit(1)


def audit_as_it_is(stack: Stack) -> Audit:
    """The tables of a running stack, read whole."""
    with tempfile.TemporaryDirectory() as folder:
        with step("Reading the tables", "Read the tables"):
            scan(stack, Path(folder), compared_of(stack))
        with step("Comparing them", "Compared them"):
            return audit(Path(folder), stack.timetable, compared_of(stack))


def compared_of(stack: Stack) -> tuple[str, ...]:
    """The tables there are to compare: the wallet and the coupons only while they are the provider."""
    return TABLES if stack.provider == "wallet" else WITHOUT_WALLET


def words(result: Result) -> Iterator[str]:
    """What an operator reads, line by line."""
    tables = result.tables
    yield (
        f"{counted(tables.items, 'item')} as of {tables.as_of:%Y-%m-%d %H:%M} UTC: "
        f"{counted(tables.orders, 'order')}, {counted(tables.rewards, 'reward')}"
    )
    yield "compared: " + ", ".join(tables.compared)
    if "wallet" not in tables.compared:
        yield "[yellow]![/] not compared: what the provider did, whose books are its own"
    yield from _listed("the tables", tables.findings)
    yield from _listed("the stream", result.of_the_stream)


def _listed(where: str, findings: list[Finding]) -> Iterator[str]:
    if not findings:
        yield f"[green]✓[/] nothing found in {where}"
        return
    yield f"[red]✗[/] {len(findings):,} found in {where}"
    for finding in findings[:SHOWN]:
        version = f" (version {finding.version})" if finding.version else ""
        yield f"  [bold]{finding.kind}[/]  {plain(finding.about)}{version}: {plain(finding.words)}"
    if len(findings) > SHOWN:
        yield f"  and {len(findings) - SHOWN:,} more: `--json` lists them all"
