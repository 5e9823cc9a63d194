"""When a cron runs: those of EventBridge Scheduler, read by cronsim."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from ops.trouble import Trouble


def runs(cron: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """The times, in UTC, at which `cron` runs after `after`.

    It is read on the clocks of `zone`, as the Scheduler does: where they are put forward, what would run at a time that
    does not come is left out; where they are put back, a time that comes twice is used once.
    """
    for wall in _walls(cron, after.astimezone(zone).replace(tzinfo=None)):
        run = wall.replace(tzinfo=zone).astimezone(UTC)
        exists = run.astimezone(zone).replace(tzinfo=None) == wall
        if exists and run > after:
            yield run


def _walls(cron: str, after: datetime) -> CronSim:
    """The wall times of `cron`, in cronsim's dialect: no year, no `?`, and Sunday is 0 where the Scheduler has 1."""
    try:
        minute, hour, day, month, weekday, year = cron.replace("?", "*").split()
        weekday = re.sub(r"(?<!#)\b[1-7]", lambda number: str(int(number[0]) - 1), weekday)
        if year == "*":
            return CronSim(f"{minute} {hour} {day} {month} {weekday}", after)
    except (ValueError, CronSimError):
        pass
    raise Trouble(f"cron({cron}) is deployed; this command cannot tell when that runs.")
