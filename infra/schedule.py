"""A job's schedule."""

from aws_cdk import Acknowledgment, CfnElement, Duration, Stack, TimeZone, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_scheduler_targets as targets

from infra.step import Step
from infra.work_queue import DeadLetters
from rewards.jobs import Job


class Schedule(scheduler.Schedule):
    """Calls a step with the time it was meant to run at, which is not the time it runs when it is late.

    The call is asynchronous: `undelivered` gets only the calls that never reached the step.
    """

    def __init__(
        self,
        step: Step,
        job: Job,
        *,
        cron: str,
        time_zone: str,
        group: scheduler.IScheduleGroup,
        undelivered: DeadLetters,
    ) -> None:
        role = iam.Role(step, f"{job.name}-role", assumed_by=_schedules_of(group))
        super().__init__(
            step,
            job.name,
            description=job.description(),
            schedule=scheduler.ScheduleExpression.expression(f"cron({cron})", TimeZone.of(time_zone)),
            schedule_group=group,
            target=targets.LambdaInvoke(
                step.function,
                dead_letter_queue=undelivered,
                input=scheduler.ScheduleTargetInput.from_object(
                    {**job.event, "execute_time": scheduler.ContextAttribute.scheduled_time}
                ),
                max_event_age=Duration.hours(1),
                role=role,
            ),
        )
        function = step.function.node.default_child
        assert isinstance(function, CfnElement)  # noqa: S101  # says so to mypy only
        Validations.of(role).acknowledge(
            Acknowledgment(
                id=f"AwsSolutions-IAM5[Resource::<{Stack.of(self).get_logical_id(function)}.Arn>:*]",
                reason="The CDK allows the function's versions with the function.",
            )
        )


def _schedules_of(group: scheduler.IScheduleGroup) -> iam.IPrincipal:
    """Scheduler, for this group of this account only: else anybody's schedule could be given the role."""
    of = {"aws:SourceAccount": Stack.of(group).account, "aws:SourceArn": group.schedule_group_arn}
    return iam.ServicePrincipal("scheduler.amazonaws.com", conditions={"StringEquals": of})
