"""Sweeping: every ten minutes, what is overdue in the due index is sent once more, and timers before they are due."""

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.control import Control
from infra.expiring import Expiring
from infra.granting import Granting
from infra.jobs import Jobs
from infra.ledger import Ledger
from infra.recycling import Recycling
from infra.step import Step
from infra.tasks import Tasks
from infra.work_queue import DeadLetters


class Sweeping(Construct):
    """The safety net under every message: it must never multiply a backlog, so it looks at the queues first."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        ledger: Ledger,
        control: Control,
        jobs: Jobs,
        tasks: Tasks,
        granting: Granting,
        recycling: Recycling,
        expiring: Expiring,
    ) -> None:
        super().__init__(scope, id)
        self.step = Step(self, "sweep", config=config, timeout=Duration.seconds(120))
        self.step.may("dynamodb:GetItem", "dynamodb:PutItem", on=control.items)
        self.step.may("dynamodb:Query", on=ledger.due)
        tasks.written_by(self.step)
        for receiver in (*granting.low, *recycling.queues.values()):
            self.step.may("sqs:SendMessage", "sqs:GetQueueAttributes", on=receiver)
        self.step.may("sqs:SendMessage", on=expiring.timers)
        self.step.gives_up_to(DeadLetters(self, "FailedSweeps"))
        jobs.start(self.step, undelivered=DeadLetters(self, "Undelivered"))
