"""A DynamoDB table with the house's defaults: on demand, encrypted, and in production not to be lost."""

from aws_cdk import Acknowledgment, RemovalPolicy, Validations
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.config import Config
from infra.step import Resource


class Table(dynamodb.Table):
    """A table whose keys are strings."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        partition_key: str,
        sort_key: str | None = None,
        stream: dynamodb.StreamViewType | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            partition_key=text(partition_key),
            sort_key=text(sort_key) if sort_key else None,
            stream=stream,
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.DEFAULT,
            deletion_protection=config.keeps_data,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=config.keeps_data
            ),
            removal_policy=RemovalPolicy.RETAIN if config.keeps_data else RemovalPolicy.DESTROY,
        )
        if not config.keeps_data:
            Validations.of(self).acknowledge(
                Acknowledgment(id="AwsSolutions-DDB3", reason="Outside production the data may be lost.")
            )

    def known_as(self, variable: str) -> Resource:
        """The table's items, for the steps."""
        return Resource(variable, self.table_name, self.table_arn)


def text(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
