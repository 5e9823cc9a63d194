"""Publishing: from the ledger's stream, the history of every reward and the events others may follow."""

import jsii
from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_lambda_event_sources import DynamoEventSource
from aws_cdk.aws_s3 import IBucket
from constructs import Construct

from infra.config import Config
from infra.ledger import Ledger
from infra.letters import Letters
from infra.step import Resource, Step


class Publishing(Construct):
    """The `bus` of reward events. A change is never published without being made, nor made without being published."""

    def __init__(self, scope: Construct, id: str, *, config: Config, ledger: Ledger, letters: Letters) -> None:
        super().__init__(scope, id)
        self.bus = events.EventBus(self, "Bus")
        self.step = Step(self, "publish", config=config, timeout=Duration.seconds(60))
        self.step.may("dynamodb:BatchWriteItem", on=ledger.items)
        self.step.may("events:PutEvents", on=Resource("REWARDS_BUS", self.bus.event_bus_name, self.bus.event_bus_arn))
        letters.take_from(self.step)
        self._source = DynamoEventSource(
            ledger.table,
            starting_position=lambda_.StartingPosition.TRIM_HORIZON,
            batch_size=100,
            report_batch_item_failures=True,
            bisect_batch_on_error=True,
            retry_attempts=10,
            max_record_age=Duration.hours(12),
            filters=[_ONLY_REWARDS],
            on_failure=_KeptWhole(letters.bucket),
            metrics_config=lambda_.MetricsConfig(metrics=[lambda_.MetricType.EVENT_COUNT]),
        )
        self.step.function.add_event_source(self._source)

    def set_aside(self) -> cloudwatch.Metric:
        """How many records were given up and kept in the bucket: nobody else is told of them."""
        return cloudwatch.Metric(
            namespace="AWS/Lambda",
            metric_name="OnFailureDestinationDeliveredEventCount",
            dimensions_map={"EventSourceMappingUUID": self._source.event_source_mapping_id},
            statistic="Sum",
            period=Duration.hours(1),
        )


_ONLY_REWARDS = lambda_.FilterCriteria.filter(
    {"dynamodb": {"Keys": {"Item": {"S": lambda_.FilterRule.begins_with("REWARD#")}}}}
)
"""History is written by the step itself: it must not wake it again."""


@jsii.implements(lambda_.IEventSourceDlq)
class _KeptWhole:
    """Records that failed go to a bucket as they are; a queue would get only their numbers in the stream.

    The CDK's own destination asks for all rights on the bucket; these are what Lambda needs.
    """

    def __init__(self, bucket: IBucket) -> None:
        self._bucket = bucket

    def bind(self, _source: lambda_.IEventSourceMapping, handler: lambda_.IFunction) -> lambda_.DlqDestinationConfig:
        for action, arn in (
            ("s3:PutObject", self._bucket.arn_for_objects("*")),
            ("s3:ListBucket", self._bucket.bucket_arn),
        ):
            handler.add_to_role_policy(iam.PolicyStatement(actions=[action], resources=[arn]))
        return lambda_.DlqDestinationConfig(destination=self._bucket.bucket_arn)
