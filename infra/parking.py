"""Parking: the step that keeps every dead letter of the stack."""

from collections.abc import Iterable

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.letters import Letters
from infra.step import Step
from infra.work_queue import DeadLetters


class Parking(Construct):
    """What it cannot keep stays in its queue, whose age raises an alarm: there is nowhere further to send it."""

    def __init__(
        self, scope: Construct, id: str, *, config: Config, letters: Letters, drains: Iterable[DeadLetters]
    ) -> None:
        super().__init__(scope, id)
        step = Step(self, "park", config=config, timeout=Duration.seconds(30))
        for queue in drains:
            step.drains(queue)
        step.may("s3:PutObject", on=letters.bucket.known_as("LETTERS_BUCKET"))
        step.may("dynamodb:PutItem", on=letters.table.known_as("LETTERS_TABLE"))
