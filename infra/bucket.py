"""An S3 bucket with the house's defaults: private, encrypted, TLS only, and in production not to be lost."""

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Stack, Validations
from aws_cdk import aws_s3 as s3
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
