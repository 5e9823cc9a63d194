"""An S3 bucket with the house's defaults: private, encrypted, TLS only, and in production not to be lost."""

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Stack, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import Config
from infra.step import Resource


class Bucket(s3.Bucket):
    """A bucket whose objects are kept for ever, or for `kept_for`."""

    def __init__(self, scope: Construct, id: str, *, config: Config, kept_for: Duration | None = None) -> None:
        super().__init__(
            scope,
            id,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            lifecycle_rules=[s3.LifecycleRule(expiration=kept_for)] if kept_for else None,
            removal_policy=RemovalPolicy.RETAIN if config.keeps_data else RemovalPolicy.DESTROY,
            auto_delete_objects=not config.keeps_data and not config.embedded,  # empties by a function in Node
        )
        Validations.of(self).acknowledge(
            Acknowledgment(id="AwsSolutions-S1", reason="Only this stack's functions and its operators can reach it.")
        )
        stack, resource = Stack.of(self), self.node.default_child
        assert isinstance(resource, s3.CfnBucket)  # noqa: S101  # says so to mypy only
        Validations.of(stack).acknowledge(
            Acknowledgment(
                id=f"AwsSolutions-IAM5[Resource::<{stack.get_logical_id(resource)}.Arn>/*]",
                reason="The right to read or write an object covers them all: keys come from the work.",
            )
        )

    def known_as(self, variable: str) -> Resource:
        """The bucket's objects, for the steps."""
        return Resource(variable, self.bucket_name, self.arn_for_objects("*"))

    def tells(self, queue: sqs.Queue, of: str) -> None:
        """Let the queue have a message for each new object whose key begins so.

        The CDK's own way needs a function with rights on every bucket. The queue may be sent to by any bucket of this
        account: to name this one, the queue would have to come after the bucket, which asks it when it is made.
        """
        allowed = queue.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("s3.amazonaws.com")],
                actions=["sqs:SendMessage"],
                resources=[queue.queue_arn],
                conditions={"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
            )
        )
        bucket, policy = self.node.default_child, allowed.policy_dependable
        assert isinstance(bucket, s3.CfnBucket)  # noqa: S101  # says so to mypy only
        begins = s3.CfnBucket.FilterRuleProperty(name="prefix", value=of)
        bucket.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            queue_configurations=[
                s3.CfnBucket.QueueConfigurationProperty(
                    event="s3:ObjectCreated:*",
                    queue=queue.queue_arn,
                    filter=s3.CfnBucket.NotificationFilterProperty(
                        s3_key=s3.CfnBucket.S3KeyFilterProperty(rules=[begins])
                    ),
                )
            ]
        )
        bucket.node.add_dependency(policy)
