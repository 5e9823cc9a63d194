"""A queue of work for one step, and the queue for what the step could not do."""

from aws_cdk import Acknowledgment, Duration, Validations
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import VISIBILITY_TIMEOUTS
from infra.step import Resource, Step

LONGEST_RETENTION = Duration.days(14)
RECEIVES_LEFT = 5


class DeadLetters(sqs.Queue):
    """Messages nobody could deliver or work on. Every queue of this class in the stack is drained by `park`."""

    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(
            scope,
            id,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=LONGEST_RETENTION,
        )
        Validations.of(self).acknowledge(
            Acknowledgment(id="AwsSolutions-SQS3", reason="It holds dead letters itself, and its age raises an alarm.")
        )


class WorkQueue(sqs.Queue):
    """A queue with one step that drains it.

    On the last of its `tries` a step deals with the message itself and knows the error; the dead letters get only what
    the code could not catch. So SQS gives a message up a little later than the step does.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        drained_by: Step,
        tries: int,
        batch_size: int = 10,
        max_concurrency: int | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=Duration.seconds(VISIBILITY_TIMEOUTS * drained_by.timeout.to_seconds()),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=DeadLetters(scope, f"{id}DeadLetters"), max_receive_count=tries + RECEIVES_LEFT
            ),
        )
        self.step = drained_by
        drained_by.drains(self, batch_size=batch_size, max_concurrency=max_concurrency)
        drained_by.puts_off(self)

    def known_as(self, variable: str) -> Resource:
        """The queue for those who send to it."""
        return Resource(variable, self.queue_url, self.queue_arn)
