"""Orders: the bus that order events come in by, and a queue and a step for each kind.

A bus drops what matches no rule, so a last rule keeps events of a kind nobody knows, for a person to look at.
"""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from infra.expiring import Expiring
from infra.granting import Granting
from infra.recycling import Recycling
from infra.rooms import Rooms
from infra.step import Step
from infra.work_queue import DeadLetters, WorkQueue

EVENTS_OF = {
    "occupy": ["OrderPlaced"],
    "book": ["PaymentCompleted"],
    "rebook": ["OrderShipped"],
    "withdraw": ["PaymentFailed", "OrderCancelled", "OrderReturned"],
}
KNOWN_EVENTS = [event for kinds in EVENTS_OF.values() for event in kinds]


class Orders(Construct):
    """From an order event to what its rewards' rows say."""

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
        self.bus = events.EventBus(self, "Bus")
        self._undelivered = DeadLetters(self, "Undelivered")

        steps = {name: Step(self, name, config=rooms.config, timeout=Duration.seconds(30)) for name in EVENTS_OF}
        for name, kinds in EVENTS_OF.items():
            events_queue = WorkQueue(self, f"{name.capitalize()}Queue", drained_by=steps[name], tries=12)
            self._route(kinds, events_queue)
            rooms.letters.take_from(steps[name])
        self._route(events.Match.anything_but(*KNOWN_EVENTS), DeadLetters(self, "UnknownEvents"))

        for step in steps.values():
            step.may(
                "dynamodb:Query", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", on=rooms.ledger.items
            )
        for step in (steps["occupy"], steps["book"]):
            step.may("dynamodb:BatchGetItem", "dynamodb:UpdateItem", on=rooms.ledger.quota)
            step.may("dynamodb:Query", on=rooms.promotions.items)
        steps["occupy"].may("sqs:SendMessage", on=expiring.timers)
        steps["withdraw"].may("dynamodb:UpdateItem", on=rooms.ledger.quota)
        steps["rebook"].knows(rooms.ledger.quota)
        for step in (steps["book"], steps["rebook"]):
            for queue in granting.high:
                step.may("sqs:SendMessage", on=queue)
        for queue in recycling.queues.values():
            steps["withdraw"].may("sqs:SendMessage", on=queue)

    def _route(self, kinds: list[str], queue: WorkQueue | DeadLetters) -> None:
        events.Rule(
            queue,
            "Rule",
            event_bus=self.bus,
            event_pattern=events.EventPattern(detail_type=kinds),
            targets=[targets.SqsQueue(queue, dead_letter_queue=self._undelivered)],
        )
