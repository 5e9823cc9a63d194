"""Recycling: the queues of granted rewards that an order no longer earns, and the steps that take them back."""

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.control import Control
from infra.ledger import Ledger
from infra.letters import Letters
from infra.provider import Provider
from infra.step import Resource, Step
from infra.tasks import Tasks
from infra.work_queue import WorkQueue


class Recycling(Construct):
    """Points and coupons, each by way of a queue of its own. `urls` has both by their names."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        ledger: Ledger,
        control: Control,
        provider: Provider,
        tasks: Tasks,
        letters: Letters,
    ) -> None:
        super().__init__(scope, id)
        self.queues: dict[str, Resource] = {}
        self.urls: dict[str, str] = {}
        for what, name in (("Points", "recycle_points"), ("Coupon", "recycle_coupon")):
            step = Step(self, name, config=config, timeout=Duration.seconds(config.work_timeout_seconds))
            queue = WorkQueue(self, what, drained_by=step, tries=3, max_concurrency=config.max_concurrency[name])
            self.queues[what] = queue.known_as(f"{name.upper()}_QUEUE")
            self.urls[name] = queue.queue_url

            step.may("dynamodb:BatchGetItem", "dynamodb:PartiQLUpdate", on=ledger.items)
            step.may("dynamodb:GetItem", "dynamodb:UpdateItem", on=ledger.items)  # for one by itself
            step.knows(ledger.quota)
            step.may("sqs:SendMessage", on=self.queues[what])  # a reward that failed, as a message of its own
            provider.serves(step)
            control.guards_providers_of(step)
            tasks.read_by(step)
            letters.take_from(step)
