"""How many jobs start at once, as it is and with more of them."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from msgspec import structs

from ops.schedule.deployed import Scheduled
from ops.schedule.runs import runs
from rewards.jobs import HOUR, Job, staggered

DAY = timedelta(days=1)
BARS = " ▁▂▃▄▅▆▇█"
RULER = "".join(f"{minute:<10}" for minute in range(0, HOUR, 10))


def starts(scheduled: Iterable[Scheduled], zone: ZoneInfo, now: datetime) -> list[int]:
    """For each minute of the hour, how many jobs start in it together at most, in any hour of the day from `now` on."""
    together = Counter(
        run
        for each in scheduled
        if each.enabled
        for run in takewhile(lambda run: run <= now + DAY, runs(each.cron, ZoneInfo(each.zone), now))
    )
    most = [0] * HOUR
    for run, count in together.items():
        minute = run.astimezone(zone).minute
        most[minute] = max(most[minute], count)
    return most


def unstaggered(scheduled: Iterable[Scheduled]) -> list[Scheduled]:
    """The same jobs, each at its base."""
    return [structs.replace(each, cron=each.job.base) for each in scheduled]


def with_more(scheduled: Iterable[Scheduled], count: int, zone: ZoneInfo) -> list[Scheduled]:
    """The same jobs and `count` imaginary ones, meant for each whole hour, as they would all be staggered."""
    more = [Job(f"imaginary-{number}", "imaginary", "0 * * * ? *") for number in range(1, count + 1)]
    all_of_them = [*scheduled, *(Scheduled(job, job.base, zone.key, enabled=True) for job in more)]
    crons = staggered([each.job for each in all_of_them])
    return [structs.replace(each, cron=crons[each.job.name]) for each in all_of_them]


def bars(most: list[int], highest: int) -> str:
    """A bar for each minute of the hour; `highest` is what a full one stands for."""
    steps = len(BARS) - 1
    return "".join(BARS[-(-steps * count // highest)] for count in most)
