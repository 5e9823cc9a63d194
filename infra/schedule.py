"""A step that runs by the clock."""

from aws_cdk import Acknowledgment, CfnElement, Duration, Stack, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_scheduler_targets as targets
from constructs import Construct

from infra.step import Step
from infra.work_queue import DeadLetters


class Schedule(scheduler.Schedule):
    """Calls a step with the time it was meant to run at, which is not the time it runs when it is late.

    The call is asynchronous: `undelivered` gets only the calls that never reached the step.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        step: Step,
        *,
        at: scheduler.ScheduleExpression,
        undelivered: DeadLetters,
        **event: str,
    ) -> None:
        role = iam.Role(scope, f"{id}Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        super().__init__(
            scope,
            id,
            schedule=at,
            target=targets.LambdaInvoke(
                step.function,
                dead_letter_queue=undelivered,
                input=scheduler.ScheduleTargetInput.from_object(
                    {**event, "execute_time": scheduler.ContextAttribute.scheduled_time}
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
