"""Recycling: the queue of granted rewards that an order no longer earns, and the step that takes them back."""

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.ledger import Ledger
from infra.letters import Letters
from infra.step import Step
from infra.tasks import Tasks
from infra.wallet import Wallet
from infra.work_queue import WorkQueue


class Recycling(Construct):
    """Points, by way of `points`."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        ledger: Ledger,
        wallet: Wallet,
        tasks: Tasks,
        letters: Letters,
    ) -> None:
        super().__init__(scope, id)
        step = Step(self, "recycle_points", config=config, timeout=Duration.seconds(config.work_timeout_seconds))
        queue = WorkQueue(
            self, "Points", drained_by=step, tries=3, max_concurrency=config.max_concurrency.recycle_points
        )
        self.points = queue.known_as("RECYCLE_POINTS_QUEUE")

        step.may("dynamodb:GetItem", "dynamodb:UpdateItem", on=ledger.items)
        step.knows(ledger.quota)
        step.may("sqs:SendMessage", on=self.points)  # a reward that failed, as a message of its own
        wallet.serves(step)
        tasks.read_by(step)
        letters.take_from(step)
