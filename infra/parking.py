"""Parking: the step that keeps every dead letter of the stack."""

from collections.abc import Iterable

from aws_cdk import Duration, Stack
from constructs import Construct

from infra.config import Config
from infra.letters import Letters
from infra.step import Step
from infra.work_queue import DeadLetters, WorkQueue


class Parking(Construct):
    """What it cannot keep stays in its queue, whose age raises an alarm: there is nowhere further to send it."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        letters: Letters,
        drains: Iterable[DeadLetters],
        work: Iterable[WorkQueue],
        steps: Iterable[Step],
    ) -> None:
        """Of whatever AWS gave up it names the step: `work` and `steps` are all there are."""
        super().__init__(scope, id)
        names = {queue.queue_name: queue.step.name for queue in work}
        names |= {step.function.function_name: step.name for step in steps}
        park = Step(self, "park", config=config, timeout=Duration.seconds(30))
        for queue in drains:
            park.drains(queue)
        park.may("s3:PutObject", "s3:GetObject", on=letters.bucket.known_as("LETTERS_BUCKET"))
        park.may("dynamodb:PutItem", on=letters.table.known_as("LETTERS_TABLE"))
        park.function.add_environment("STEPS_BY_NAME", Stack.of(self).to_json_string(names))
