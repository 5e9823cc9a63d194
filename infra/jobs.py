"""The jobs: all that runs by the clock, in one list, so that no two of them start in the same minute by accident."""

from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from infra.config import Config
from infra.schedule import Schedule
from infra.step import Step
from infra.work_queue import DeadLetters
from rewards.jobs import HOUR, Job, staggered


def jobs_of(config: Config) -> tuple[Job, ...]:
    """Every job of the stack, at the times a person would give it; days of the week by name, never by number.

    The planner runs to the minute: it releases the hour that has just ended, and offline returns when they are due.
    """
    hour, minute = config.recycle_time.split(":")
    periods = ",".join(str(first) for first in range(1, HOUR, config.dispatch_period_minutes))
    return (
        Job("plan-rewards", "plan", f"{periods} * * * ? *", {"kind": "reward"}, staggered=False),
        Job("plan-recycles", "plan", f"{int(minute)} {int(hour)} * * ? *", {"kind": "recycle"}, staggered=False),
        Job("collect", "collect", "0 6 * * ? *"),
        Job("sweep", "sweep", "*/10 * * * ? *"),
    )


class Jobs(Construct):
    """The schedules of all jobs stand in one `group`, by which an operator finds them."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.group = scheduler.CfnScheduleGroup(self, "Group").ref
        self._jobs = jobs_of(config)
        self._crons = staggered(self._jobs)
        self._time_zone = config.time_zone

    def start(self, step: Step, *, undelivered: DeadLetters) -> None:
        """Let the clock start `step` for each of its jobs; `undelivered` gets the calls that never reach it."""
        group = scheduler.ScheduleGroup.from_schedule_group_name(step, "Jobs", self.group)
        for job in self._jobs:
            if job.step == step.name:
                Schedule(
                    step,
                    job,
                    cron=self._crons[job.name],
                    time_zone=self._time_zone,
                    group=group,
                    undelivered=undelivered,
                )
