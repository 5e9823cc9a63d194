"""The schedules as they are deployed, whatever the source says by now."""

import re
from typing import TYPE_CHECKING

from msgspec import MsgspecError, Struct

from ops.trouble import Trouble
from rewards.jobs import Job

if TYPE_CHECKING:
    from mypy_boto3_scheduler import EventBridgeSchedulerClient
    from mypy_boto3_scheduler.type_defs import GetScheduleOutputTypeDef


class Scheduled(Struct, frozen=True):
    """A job and the cron it runs at, on the clocks of `zone`. One that is not `enabled` stands still."""

    job: Job
    cron: str
    zone: str
    enabled: bool


def deployed(scheduler: "EventBridgeSchedulerClient", group: str) -> list[Scheduled]:
    """What the schedules of `group` say, by the names of their jobs."""
    pages = scheduler.get_paginator("list_schedules").paginate(GroupName=group)
    names = [schedule["Name"] for page in pages for schedule in page["Schedules"]]
    found = [_scheduled(scheduler.get_schedule(GroupName=group, Name=name)) for name in names]
    return sorted(found, key=lambda scheduled: scheduled.job.name)


def _scheduled(schedule: "GetScheduleOutputTypeDef") -> Scheduled:
    cron = re.fullmatch(r"cron\((.+)\)", schedule["ScheduleExpression"])
    try:
        job = Job.described(schedule.get("Description", ""))
    except MsgspecError:
        raise Trouble(
            f"The schedule {schedule['Name']} does not tell its job: it was changed by hand, or by another version."
        ) from None
    if cron is None:
        raise Trouble(f"{job.name} was changed by hand: it runs at {schedule['ScheduleExpression']}, which is no cron.")
    return Scheduled(job, cron[1], schedule["ScheduleExpressionTimezone"], schedule["State"] == "ENABLED")
