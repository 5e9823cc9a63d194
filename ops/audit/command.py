"""`rewards audit`: whether the ledger, the providers' books and the quotas agree, and what was found in the stream."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from adapters.findings import S3Findings
from ops.audit.run import Audit, audit
from ops.audit.scan import scan
from ops.stack import Stack, connect
from ops.terminal import Aws, Json, out, print_json, step
from rewards.auditing.finding import Finding

SHOWN = 100


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
    """Compare all tables with each other, and list what the audit of the stream found. Status 1 if there is anything.

    Every grant and every reclaim of the ledger is one entry of a provider under its key; sums, balances, codes, stocks
    and places agree; every history is whole; amounts and booking times are what the rules give; nothing is stuck, and
    nothing stands alone. While orders go on, what changed in the last hour is judged the next time.
    """
    stack = connect(aws=aws)
    audited = audit(export, stack.timetable) if export else _as_they_are(stack)
    of_the_stream = S3Findings(stack.s3, stack["FindingsBucketName"]).open()
    if as_json:
        print_json({"audit": audited, "of_the_stream": of_the_stream})
    else:
        _tell(audited, of_the_stream)
    if audited.findings or of_the_stream:
        raise typer.Exit(1)


def _as_they_are(stack: Stack) -> Audit:
    with tempfile.TemporaryDirectory() as folder:
        with step("Reading the tables", "Read the tables"):
            scan(stack, Path(folder))
        with step("Comparing them", "Compared them"):
            return audit(Path(folder), stack.timetable)


def _tell(audited: Audit, of_the_stream: list[Finding]) -> None:
    out.print(
        f"{audited.items:,} items as of {audited.as_of:%Y-%m-%d %H:%M} UTC: {audited.orders:,} orders, "
        f"{audited.rewards:,} rewards"
    )
    _list("the tables", audited.findings)
    _list("the stream", of_the_stream)


def _list(where: str, findings: list[Finding]) -> None:
    if not findings:
        out.print(f"[green]✓[/] nothing found in {where}")
        return
    out.print(f"[red]✗[/] {len(findings):,} found in {where}")
    for finding in findings[:SHOWN]:
        version = f" (version {finding.version})" if finding.version else ""
        out.print(f"  [bold]{finding.kind}[/]  {escape(finding.about)}{version}: {escape(finding.words)}")
    if len(findings) > SHOWN:
        out.print(f"  and {len(findings) - SHOWN:,} more: `--json` lists them all")
