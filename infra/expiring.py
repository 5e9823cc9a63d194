"""Expiring: the timers of placed orders, and the step that lets the place of those go that are not paid in time."""

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.ledger import Ledger
from infra.letters import Letters
from infra.step import Step
from infra.work_queue import WorkQueue


class Expiring(Construct):
    """A timer is a message that the queue hides until it is due, a quarter of an hour at most."""

    def __init__(self, scope: Construct, id: str, *, config: Config, ledger: Ledger, letters: Letters) -> None:
        super().__init__(scope, id)
        step = Step(self, "expire", config=config, timeout=Duration.seconds(30))
        self.queue = WorkQueue(self, "Timers", drained_by=step, tries=3)
        self.timers = self.queue.known_as("TIMERS_QUEUE")

        step.may("dynamodb:GetItem", "dynamodb:UpdateItem", on=ledger.items)
        step.may("dynamodb:UpdateItem", on=ledger.quota)
        step.may("sqs:SendMessage", on=self.timers)  # a timer that came early, with the time that is left
        letters.take_from(step)
