"""Dead letters: where they are kept for good, and the queue by which a step sends one with its error."""

from constructs import Construct

from infra.bucket import Bucket
from infra.config import Config
from infra.step import Resource, Step
from infra.table import Table
from infra.work_queue import DeadLetters


class Letters(Construct):
    """The letters whole in a bucket, found by day in a table; a dead-letter queue alone forgets in two weeks."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.bucket = Bucket(self, "Bucket", config=config)
        self.table = Table(self, "Table", config=config, partition_key="Day", sort_key="Letter")
        self.queue = DeadLetters(self, "Queue")

    def take_from(self, step: Step) -> None:
        """Let a step park a message itself, since only it knows what went wrong."""
        step.may("sqs:SendMessage", on=Resource("LETTERS_QUEUE", self.queue.queue_url, self.queue.queue_arn))
