"""The command itself, and how it shows what it found."""

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from msgspec import Struct
from rich.table import Table

from ops import clock
from ops.schedule.deployed import Scheduled, deployed
from ops.schedule.runs import runs
from ops.schedule.starts import RULER, bars, starts, unstaggered, with_more
from ops.stack import connect
from ops.terminal import Aws, Json, out, plain, print_json

RUNS = 3


class NextRun(Struct, frozen=True):
    """One moment, on two clocks."""

    local: datetime
    utc: datetime


class Timed(Struct, frozen=True):
    """A deployed job, and when it runs next."""

    name: str
    step: str
    staggered: bool
    enabled: bool
    base: str
    cron: str
    zone: str
    next_runs: list[NextRun]


class Starts(Struct, frozen=True):
    """For each minute of the hour, how many jobs start in it together at most."""

    before: list[int]
    after: list[int]


class WhatIf(Struct, frozen=True):
    """What so many more jobs would do: which of those deployed would move, and the starts of all."""

    more: int
    moved: dict[str, str]
    starts: Starts


class Timetable(Struct, frozen=True):
    """All that is deployed to run by the clock."""

    jobs: list[Timed]
    starts: Starts
    what_if: WhatIf | None


def schedule(
    what_if: Annotated[
        int, typer.Option(min=0, max=1000, metavar="N", help="Add N imaginary jobs, meant for each whole hour.")
    ] = 0,
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Show every job that runs by the clock, as it is deployed: base, actual cron, and its next three runs.

    Below, a picture of how many jobs start in each minute of the hour, before staggering and after it: the most
    that start together in any hour of the next day.
    """
    stack = connect(aws=aws)
    found = deployed(stack.scheduler, stack["ScheduleGroupName"])
    timetable = timetable_of(found, stack.zone, clock.now(stack), what_if)
    if as_json:
        print_json(timetable)
    else:
        show(timetable)


def timetable_of(scheduled: list[Scheduled], zone: ZoneInfo, now: datetime, more: int) -> Timetable:
    return Timetable(
        [timed(each, now) for each in scheduled],
        _starts(scheduled, zone, now),
        _what_if(scheduled, zone, now, more) if more else None,
    )


def timed(scheduled: Scheduled, now: datetime) -> Timed:
    job, zone = scheduled.job, ZoneInfo(scheduled.zone)
    coming = islice(runs(scheduled.cron, zone, now), RUNS if scheduled.enabled else 0)
    return Timed(
        job.name,
        job.step,
        job.staggered,
        scheduled.enabled,
        job.base,
        scheduled.cron,
        scheduled.zone,
        [NextRun(run.astimezone(zone), run.astimezone(UTC)) for run in coming],
    )


def show(timetable: Timetable) -> None:
    table = Table("job", "base", "runs at", "next, local", "UTC", box=None, header_style="dim", pad_edge=False)
    for job in timetable.jobs:
        table.add_row(
            plain(job.name),
            plain(job.base),
            "exactly" if job.cron == job.base else plain(job.cron),
            _lines(f"{run.local:%Y-%m-%d %H:%M}" for run in job.next_runs) or "disabled",
            _lines(f"{run.utc:%m-%d %H:%M}" for run in job.next_runs),
        )
    out.print(table)
    _show_starts("Jobs that start together", timetable.starts)
    if what_if := timetable.what_if:
        _show_starts(f"With {what_if.more} more", what_if.starts)
        moved = ", ".join(f"{name} to {cron}" for name, cron in what_if.moved.items())
        out.print(f"Of the jobs deployed {len(what_if.moved)} would move{': ' if moved else ''}{plain(moved)}.")


def _starts(scheduled: list[Scheduled], zone: ZoneInfo, now: datetime) -> Starts:
    return Starts(starts(unstaggered(scheduled), zone, now), starts(scheduled, zone, now))


def _what_if(scheduled: list[Scheduled], zone: ZoneInfo, now: datetime, more: int) -> WhatIf:
    all_of_them = with_more(scheduled, more, zone)
    was = {each.job.name: each.cron for each in scheduled}
    moved = {each.job.name: each.cron for each in all_of_them if was.get(each.job.name, each.cron) != each.cron}
    return WhatIf(more, moved, _starts(all_of_them, zone, now))


def _show_starts(title: str, starts: Starts) -> None:
    highest = max(1, *starts.before)
    out.print(f"\n[bold]{title}[/], by the minute of the hour")
    out.print(f"        [dim]{RULER}[/]")
    for name, most in (("before", starts.before), ("after", starts.after)):
        out.print(f"{name:8}{bars(most, highest)}  {max(most)} at most")


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(texts)
