"""Recycling: the queues of granted rewards that an order no longer earns, and the steps that take them back."""

from aws_cdk import Duration
from constructs import Construct

from infra.rooms import Rooms
from infra.step import Resource, Step
from infra.work_queue import WorkQueue


class Recycling(Construct):
    """Points and coupons, each by way of a queue of its own. `urls` has both by their names."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        rooms: Rooms,
    ) -> None:
        super().__init__(scope, id)
        self.queues: dict[str, Resource] = {}
        self.urls: dict[str, str] = {}
        for what, name in (("Points", "recycle_points"), ("Coupon", "recycle_coupon")):
            step = Step(self, name, config=rooms.config, timeout=Duration.seconds(rooms.config.work_timeout_seconds))
            queue = WorkQueue(self, what, drained_by=step, tries=3, max_concurrency=rooms.config.max_concurrency[name])
            self.queues[what] = queue.known_as(f"{name.upper()}_QUEUE")
            self.urls[name] = queue.queue_url

            step.may("dynamodb:BatchGetItem", "dynamodb:PartiQLUpdate", on=rooms.ledger.items)
            step.may("dynamodb:GetItem", "dynamodb:UpdateItem", on=rooms.ledger.items)  # for one by itself
            step.knows(rooms.ledger.quota)
            step.may("sqs:SendMessage", on=self.queues[what])  # a reward that failed, as a message of its own
            rooms.provider.serves(step)
            rooms.control.guards_providers_of(step)
            rooms.tasks.read_by(step)
            rooms.letters.take_from(step)
