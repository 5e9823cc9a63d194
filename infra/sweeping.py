"""Sweeping: every ten minutes, what is overdue in the due index is sent once more, and timers before they are due."""

from aws_cdk import Duration
from constructs import Construct

from infra.expiring import Expiring
from infra.granting import Granting
from infra.recycling import Recycling
from infra.rooms import Rooms
from infra.step import Step
from infra.work_queue import DeadLetters


class Sweeping(Construct):
    """The safety net under every message: it must never multiply a backlog, so it looks at the queues first."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        rooms: Rooms,
        granting: Granting,
        recycling: Recycling,
        expiring: Expiring,
    ) -> None:
        super().__init__(scope, id)
        self.step = Step(self, "sweep", config=rooms.config, timeout=Duration.seconds(120))
        self.step.may("dynamodb:GetItem", "dynamodb:PutItem", on=rooms.control.items)
        self.step.may("dynamodb:Query", on=rooms.ledger.due)
        rooms.tasks.written_by(self.step)
        for receiver in (*granting.low, *recycling.queues.values()):
            self.step.may("sqs:SendMessage", "sqs:GetQueueAttributes", on=receiver)
        self.step.may("sqs:SendMessage", on=expiring.timers)
        self.step.gives_up_to(DeadLetters(self, "FailedSweeps"))
        rooms.jobs.start(self.step, undelivered=DeadLetters(self, "Undelivered"))
