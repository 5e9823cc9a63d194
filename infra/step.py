"""A step of the workflow: a Lambda function with the house's defaults and no rights but those it is given here."""

from dataclasses import dataclass

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.code import code
from infra.config import Config
from infra.layer import Libraries


@dataclass(frozen=True)
class Resource:
    """Something a step may use, and the variable in the step's environment that says where it is."""

    variable: str
    address: str
    arn: str


class Step(Construct):
    """The function in `functions/steps/<name>.py`, with its log and its own role."""

    def __init__(self, scope: Construct, name: str, *, config: Config, timeout: Duration) -> None:
        super().__init__(scope, name)
        self.name = name
        self.timeout = timeout
        log = logs.LogGroup(self, "Log", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY)
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        log.grant_write(role)
        self.function = lambda_.Function(
            self,
            "Function",
            handler=f"steps.{name}.handler",
            code=code(config=config),
            layers=[Libraries.of(self, config=config)],
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            memory_size=512,
            timeout=timeout,
            role=role,
            log_group=log,
            tracing=lambda_.Tracing.ACTIVE,
            environment={
                "POWERTOOLS_SERVICE_NAME": name,
                **config.environment(),
            },
        )
        Validations.of(self).acknowledge(
            Acknowledgment(id="AwsSolutions-L1", reason="Python 3.13 is what the libraries are tested on."),
            Acknowledgment(id="AwsSolutions-IAM5[Resource::*]", reason="X-Ray and ListStreams know no resources."),
        )

    def may(self, *actions: str, on: Resource) -> None:
        """Give the right to do `actions` on a resource, and tell the function where the resource is."""
        self.knows(on)
        self._allow(*actions, arn=on.arn)

    def knows(self, resource: Resource) -> None:
        """Tell the function where a resource is, and give it no right there."""
        self.function.add_environment(resource.variable, resource.address)

    def drains(self, queue: sqs.Queue, *, batch_size: int = 10, max_concurrency: int | None = None) -> None:
        """Run for the messages of `queue`, each of which succeeds or is retried by itself."""
        self._allow("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", arn=queue.queue_arn)
        lambda_.EventSourceMapping(
            queue,
            "Source",
            target=self.function,
            event_source_arn=queue.queue_arn,
            batch_size=batch_size,
            max_concurrency=max_concurrency,
            report_batch_item_failures=True,
        )

    def puts_off(self, queue: sqs.Queue) -> None:
        """Let the step say how long a message of `queue` that failed is to rest."""
        self._allow("sqs:ChangeMessageVisibility", arn=queue.queue_arn)

    def gives_up_to(self, queue: sqs.IQueue) -> None:
        """Keep an asynchronous call that failed three times, which nobody would hear of otherwise."""
        self._allow("sqs:SendMessage", arn=queue.queue_arn)
        lambda_.CfnEventInvokeConfig(
            self,
            "GivesUp",
            function_name=self.function.function_name,
            qualifier="$LATEST",
            maximum_retry_attempts=2,
            destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
                on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(destination=queue.queue_arn)
            ),
        )

    def _allow(self, *actions: str, arn: str) -> None:
        self.function.add_to_role_policy(iam.PolicyStatement(actions=list(actions), resources=[arn]))
