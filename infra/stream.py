"""The ledger's stream, as its readers are called with it. There are two, and more it does not bear."""

import jsii
from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_lambda_event_sources import DynamoEventSource
from aws_cdk.aws_s3 import IBucket

from infra.ledger import Ledger
from infra.letters import Letters
from infra.step import Step


class RewardStream(DynamoEventSource):
    """Every write of a reward, for one step: in order, as often as it takes, and what it gives up is kept whole."""

    def __init__(self, step: Step, *, ledger: Ledger, letters: Letters) -> None:
        super().__init__(
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
        step.function.add_event_source(self)
        self._step = step

    def age(self) -> cloudwatch.Metric:
        """How far the step is behind, in milliseconds."""
        return self._step.function.metric("IteratorAge", statistic="Maximum", period=Duration.minutes(5))

    def set_aside(self) -> cloudwatch.Metric:
        """How many records were given up and kept in the bucket."""
        return cloudwatch.Metric(
            namespace="AWS/Lambda",
            metric_name="OnFailureDestinationDeliveredEventCount",
            dimensions_map={"EventSourceMappingUUID": self.event_source_mapping_id},
            statistic="Sum",
            period=Duration.hours(1),
        )


_ONLY_REWARDS = lambda_.FilterCriteria.filter(
    {"dynamodb": {"Keys": {"Item": {"S": lambda_.FilterRule.begins_with("REWARD#")}}}}
)
"""History is written by a reader itself: it must not wake any."""


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
