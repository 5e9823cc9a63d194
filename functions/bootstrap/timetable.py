"""How this stack turns times into due keys."""

from datetime import time
from functools import cache
from zoneinfo import ZoneInfo

from bootstrap.settings import number, period, setting, shards
from rewards.booking_time import Buckets
from rewards.timetable import Timetable


@cache
def timetable() -> Timetable:
    return Timetable(
        zone=ZoneInfo(setting("TIME_ZONE")),
        buckets=Buckets(count=number("BUCKET_COUNT"), start_hour=number("START_HOUR")),
        period=period(),
        shards=shards(),
        retry_hours=tuple(int(hour) for hour in setting("RETRY_HOURS").split(",")),
        recycles_at=time.fromisoformat(setting("RECYCLE_TIME")),
    )
