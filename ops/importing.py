"""`rewards import`: a shop's file of offline orders, from this machine to bookings."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from adapters.crm_files import S3CrmFiles
from ops.stack import Stack, connect
from ops.stillness import wait_until_still
from ops.terminal import Aws, Json, counted, err, is_date, named, out, plain, print_json, step
from ops.trouble import Trouble
from rewards.crm_files import FOLDERS, ROOT, CrmFile, Summary
from rewards.crm_orders import Reject

PATIENCE_SECONDS = 900
BETWEEN_LOOKS_SECONDS = 0.5
REJECTS_SHOWN = 20


class Imported(Struct, frozen=True):
    """What came of a file, and every row of it that was set aside."""

    summary: Summary
    rejects: list[Reject]


def import_(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="CSV or JSON lines; see docs/import.md.")],
    shop: Annotated[str, typer.Option(help="The shop's id.")],
    day: Annotated[str, typer.Option("--date", help="The folder it belongs to, like 2026-11-30.", metavar="DATE")],
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Put FILE into the shop's folder of that day, import it now, and show its summary and the rows set aside.

    Rows that are known already add nothing, so a corrected file is simply imported again. Status 1 if rows were set
    aside or the file was refused: its good orders are booked all the same.
    """
    shop = named(shop, "--shop")
    key = key_of(file.name, shop, day)
    stack = connect(aws=aws)
    with step(f"Importing {key}", f"Imported {key}"):
        done = run(stack, file, shop, key)
    if as_json:
        print_json(done)
    else:
        _tell(done)
    if done.summary.rejected or done.summary.refused:
        raise typer.Exit(1)


def key_of(name: str, shop: str, day: str) -> str:
    """Where the file belongs. Raises BadParameter for what is no shop, no date, or no name of a file in S3."""
    if "/" in shop:
        raise typer.BadParameter(f"{shop!r} has a slash, so no folder can be named so", param_hint="--shop")
    if not is_date(day):
        raise typer.BadParameter(f"{day!r} is no date, like 2026-11-30", param_hint="--date")
    key = f"{ROOT}{named(shop, '--shop')}/{day}/{name}"
    try:
        key.encode()
    except UnicodeEncodeError:
        raise typer.BadParameter(f"{name!r} is a name that S3 cannot have", param_hint="FILE") from None
    return key


def run(stack: Stack, file: Path, shop: str, key: str) -> Imported:
    """Upload the file, have its shop looked through, and wait until the summary names this version of it."""
    files = S3CrmFiles(stack.s3, stack["ImportBucketName"])
    stack.s3.upload_file(str(file), stack["ImportBucketName"], key)
    put = next(found for found in files.files(key.rsplit("/", 1)[0] + "/") if found.key == key)
    if not _covers(files.summary(put), put):
        if key not in _collect(stack, shop):
            raise Trouble(f"{key} is in none of the last {FOLDERS} date folders of shop {shop}, so nothing reads it.")
        _wait_for(put, files)
    if stack.embedded:
        wait_until_still(stack)
    summary = files.summary(put)
    assert summary  # noqa: S101 - it was waited for
    return Imported(summary, files.rejects(summary))


def _collect(stack: Stack, shop: str) -> list[str]:
    """The keys of the shop's files that are on their way to be read."""
    answer = stack.functions.invoke(
        FunctionName=stack["CollectFunctionName"], Payload=json.dumps({"shop": shop}).encode()
    )
    told = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        raise Trouble(f"{stack['CollectFunctionName']} failed: {told}")
    keys: list[str] = told
    return keys


def _wait_for(file: CrmFile, files: S3CrmFiles) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not _covers(files.summary(file), file):
        if time.monotonic() > deadline:
            raise Trouble(
                f"After {PATIENCE_SECONDS} s there is no summary of {file.key}: look at the log of `collect`."
            )
        time.sleep(BETWEEN_LOOKS_SECONDS)


def _covers(summary: Summary | None, file: CrmFile) -> bool:
    return summary is not None and summary.etag == file.etag


def _tell(done: Imported) -> None:
    summary = done.summary
    out.print(
        f"{counted(summary.read, 'row')} read: {summary.accepted:,} accepted, "
        f"{summary.skipped:,} skipped (blank, or the header again), {summary.rejected:,} set aside."
    )
    if summary.refused:
        err.print(f"[red]✗[/] The file {plain(summary.refused)}.")
    for reject in done.rejects[:REJECTS_SHOWN]:
        column = f"{reject.column}: " if reject.column else ""
        err.print(f"[red]✗[/] line {reject.line}: {plain(column + reject.reason)}")
    if len(done.rejects) > REJECTS_SHOWN:
        err.print(f"… and {len(done.rejects) - REJECTS_SHOWN:,} more, in {plain(summary.rejects or '')}")
