"""The embedded cloud's process: MiniStack, with what this project needs changed.

Started by `ops.embedded.cloud`, which sets its environment. A change belongs here only where the emulator answers
unlike AWS in a way that matters to us, and each says why.
"""

import asyncio
import os
from collections.abc import Callable
from typing import Any

from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.app import app
from ministack.services import eventbridge, scheduler
from ministack.services.cloudformation import provisioners


def stand_still() -> None:
    """Let no schedule fire by itself.

    Time on the embedded cloud is what `rewards dispatch` says it is: a schedule that fires at the real minute would
    work in the middle of another day, and two runs of the demo would not come out equal. (It would also fire at
    the wrong hour: the emulator reads every schedule as UTC.)
    """


def with_its_time_zone(provision: Callable[..., Any]) -> Callable[..., Any]:
    """Let a schedule keep the time zone of its template, which the emulator leaves out.

    Nothing fires by it, but `rewards schedule` tells when a job would run, as it is deployed.
    """

    def provision_schedule(*arguments: Any) -> tuple[str, Any]:
        name, attributes = provision(*arguments)
        properties = arguments[-2]
        stored = scheduler._schedules[f"{properties['GroupName']}/{name}"]
        stored["ScheduleExpressionTimezone"] = properties["ScheduleExpressionTimezone"]
        return name, attributes

    return provision_schedule


async def answer_until_stopped() -> None:
    """Serve until SIGTERM; by then the state is saved, and nothing that still works may hold the process."""
    config = Config()
    config.bind = [f"fd://{os.environ['LISTENING_SOCKET']}"]
    config.keep_alive_timeout = 75
    await serve(app, config)
    os._exit(0)


if __name__ == "__main__":
    scheduler.start_scheduler = stand_still
    eventbridge.start_scheduler = stand_still
    schedules = provisioners._RESOURCE_HANDLERS["AWS::Scheduler::Schedule"]
    for action in ("create", "update"):
        schedules[action] = with_its_time_zone(schedules[action])
    asyncio.run(answer_until_stopped())
