"""Granting: the queues of rewards that are due, and the steps that give them to the members.

What falls due at once has a queue of its own, so that it need not wait behind the hour's crowd.
"""

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.recycling import Recycling
from infra.rooms import Rooms
from infra.step import Resource, Step
from infra.work_queue import WorkQueue


class Granting(Construct):
    """Points and coupons, each by way of a queue in `high` or in `low`. `urls` has all of them by their names."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        rooms: Rooms,
        recycling: Recycling,
    ) -> None:
        super().__init__(scope, id)
        self.high: list[Resource] = []
        self.low: list[Resource] = []
        self.urls: dict[str, str] = {}
        for what, name in (("Points", "grant_points"), ("Coupon", "grant_coupon")):
            step = Step(self, name, config=rooms.config, timeout=Duration.seconds(rooms.config.work_timeout_seconds))
            self.high.append(self._queue(f"{what}High", f"{name}_high", step, rooms.config))
            self.low.append(self._queue(f"{what}Low", f"{name}_low", step, rooms.config))

            step.may("dynamodb:BatchGetItem", "dynamodb:PartiQLUpdate", on=rooms.ledger.items)
            step.may("dynamodb:GetItem", "dynamodb:UpdateItem", on=rooms.ledger.items)  # for one by itself
            step.may("dynamodb:UpdateItem", on=rooms.ledger.quota)  # a return left nothing to grant
            step.may("sqs:SendMessage", on=self.low[-1])  # a reward that failed, as a message of its own
            step.may("sqs:SendMessage", on=recycling.queues[what])  # a return came during the grant
            rooms.provider.serves(step)
            rooms.control.guards_providers_of(step)
            rooms.tasks.read_by(step)
            rooms.letters.take_from(step)

    def _queue(self, id: str, name: str, step: Step, config: Config) -> Resource:
        queue = WorkQueue(self, id, drained_by=step, tries=3, max_concurrency=config.max_concurrency[name])
        self.urls[name] = queue.queue_url
        return queue.known_as(f"{name.upper()}_QUEUE")
