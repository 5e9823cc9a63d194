"""Tasks too large for a message: lists of rewards, written by who sends the task and read by who works on it."""

from aws_cdk import Duration
from constructs import Construct

from infra.bucket import Bucket
from infra.config import Config


class Tasks(Construct):
    """Lists are kept as long as a message about one can be anywhere, its dead letters included."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.bucket = Bucket(self, "Bucket", config=config, kept_for=Duration.days(14))
        self.lists = self.bucket.known_as("TASKS_BUCKET")
