"""Tasks too large for a message: lists of rewards, written by who sends the task and read by who works on it."""

from aws_cdk import Duration
from constructs import Construct

from infra.bucket import Bucket
from infra.config import Config
from infra.step import Resource, Step


class Tasks(Construct):
    """Lists are kept as long as a message about one can be anywhere, its dead letters included."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self._bucket = Bucket(self, "Bucket", config=config, kept_for=Duration.days(14))
        self._lists = self._bucket.known_as("TASKS_BUCKET")

    def written_by(self, step: Step) -> None:
        step.may("s3:PutObject", on=self._lists)

    def read_by(self, step: Step) -> None:
        """Who may also list the bucket is told that an object is missing; others only hear that they may not."""
        step.may("s3:GetObject", on=self._lists)
        step.may("s3:ListBucket", on=Resource(self._lists.variable, self._lists.address, self._bucket.bucket_arn))
