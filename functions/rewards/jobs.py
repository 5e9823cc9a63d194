"""Jobs: what runs by the clock, and in which minutes of the hour.

A cron has the six fields that EventBridge Scheduler reads: minute, hour, day of month, month, day of week, year.
Staggering moves the minute and nothing else, so a job keeps its hours, its days and its period.
"""

from collections.abc import Collection
from typing import Self

import msgspec
from msgspec import Struct

from rewards.stagger import assign

HOUR = 60


class Job(Struct, frozen=True):
    """`step` is called with `event` at the minutes of `base` or, where it is staggered, at others as far apart."""

    name: str
    step: str
    base: str
    event: dict[str, str] = {}
    staggered: bool = True

    def description(self) -> str:
        """The job as text, which its schedule carries: what is deployed tells what it was staggered from."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def described(cls, description: str) -> Self:
        """The reverse of `description`. Raises MsgspecError if this describes no job."""
        return msgspec.json.decode(description, type=cls)


def staggered(jobs: Collection[Job]) -> dict[str, str]:
    """The cron that each job runs at, by its name.

    The minutes of those that are not staggered are taken. The more often a job runs, the more minutes it needs, so
    those of the shortest period choose first; hence an hourly job that comes or goes never moves one of them.
    """
    crons = {job.name: job.base for job in jobs if not job.staggered}
    taken = {minute for cron in crons.values() for minute in minutes(cron)}
    movable = [job for job in jobs if job.staggered]
    for every in sorted({period(job.base) for job in movable}):
        bases = {job.name: job.base for job in movable if period(job.base) == every}
        slots = assign(bases, every, taken={minute % every for minute in taken})
        for name, slot in slots.items():
            crons[name] = _at(range(slot, HOUR, every), bases[name])
            taken.update(range(slot, HOUR, every))
    return crons


def minutes(cron: str) -> list[int]:
    """The minutes of the hour at which `cron` starts; its first field is like `5`, `1,31` or `*/10`."""
    field = cron.split()[0]
    if "/" in field:
        first, step = field.split("/")
        return list(range(0 if first == "*" else int(first), HOUR, int(step)))
    return sorted(map(int, field.split(",")))


def period(cron: str) -> int:
    """The minutes between two starts of `cron`, 60 where it starts once in an hour. ValueError if they vary."""
    at = minutes(cron)
    every = HOUR // len(at)
    if at != list(range(at[0], HOUR, every)):
        raise ValueError(f"{cron!r} does not divide the hour into equal parts, so that it cannot be staggered")
    return every


def _at(at: Collection[int], cron: str) -> str:
    _, rest = cron.split(maxsplit=1)
    return f"{','.join(map(str, at))} {rest}"
