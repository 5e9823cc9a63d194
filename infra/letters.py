"""Dead letters: where they are kept for good, and the queue by which a step sends one with its error."""

from constructs import Construct

from infra.bucket import Bucket
from infra.config import Config
from infra.step import Resource, Step
from infra.table import Table, text
from infra.work_queue import DeadLetters

OPEN_INDEX = "open-index"

SET_ASIDE = "aws/lambda/"
"""Where in a bucket Lambda puts the records that a stream's reader gave up."""


class Letters(Construct):
    """The letters whole in a bucket, found by day in a table; a dead-letter queue alone forgets in two weeks.

    In the index stand those that nobody has redriven. What a stream could not deliver lies in the bucket before there
    is a letter of it: the bucket itself tells.
    """

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.bucket = Bucket(self, "Bucket", config=config)
        self.table = Table(self, "Table", config=config, partition_key="Day", sort_key="Letter")
        self.table.add_global_secondary_index(
            index_name=OPEN_INDEX, partition_key=text("OpenKind"), sort_key=text("Letter")
        )
        self.queue = DeadLetters(self, "Queue")
        self.bucket.tells(DeadLetters(self, "SetAside"), of=SET_ASIDE)

    def take_from(self, step: Step) -> None:
        """Let a step park a message itself, since only it knows what went wrong."""
        step.may("sqs:SendMessage", on=Resource("LETTERS_QUEUE", self.queue.queue_url, self.queue.queue_arn))
