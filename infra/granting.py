"""Granting: the queues of rewards that are due, and the step that gives them to the members.

What falls due at once has a queue of its own, so that it need not wait behind the hour's crowd.
"""

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.ledger import Ledger
from infra.letters import Letters
from infra.recycling import Recycling
from infra.step import Step
from infra.tasks import Tasks
from infra.wallet import Wallet
from infra.work_queue import WorkQueue


class Granting(Construct):
    """Points, by way of `high` or `low`."""

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
        recycling: Recycling,
    ) -> None:
        super().__init__(scope, id)
        step = Step(self, "grant_points", config=config, timeout=Duration.seconds(config.work_timeout_seconds))
        high = WorkQueue(
            self, "PointsHigh", drained_by=step, tries=3, max_concurrency=config.max_concurrency.grant_points_high
        )
        low = WorkQueue(
            self, "PointsLow", drained_by=step, tries=3, max_concurrency=config.max_concurrency.grant_points_low
        )
        self.points_high = high.known_as("GRANT_POINTS_HIGH_QUEUE")
        self.points_low = low.known_as("GRANT_POINTS_LOW_QUEUE")

        step.may("dynamodb:GetItem", "dynamodb:UpdateItem", on=ledger.items)
        step.may("dynamodb:UpdateItem", on=ledger.quota)  # a return left nothing to grant
        step.may("sqs:SendMessage", on=self.points_low)  # a reward that failed, as a message of its own
        step.may("sqs:SendMessage", on=recycling.points)  # a return came during the grant
        wallet.serves(step)
        tasks.read_by(step)
        letters.take_from(step)
