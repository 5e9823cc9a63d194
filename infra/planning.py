"""Planning: each period's due rewards, and each day's offline returns, from the clock to the work queues."""

from aws_cdk import Duration
from constructs import Construct

from infra.granting import Granting
from infra.recycling import Recycling
from infra.rooms import Rooms
from infra.step import Step
from infra.work_queue import DeadLetters, WorkQueue


class Planning(Construct):
    """`plan` cuts the time since its last run into windows and shards; `dispatch` turns each into tasks."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        rooms: Rooms,
        granting: Granting,
        recycling: Recycling,
    ) -> None:
        super().__init__(scope, id)
        dispatch = Step(self, "dispatch", config=rooms.config, timeout=Duration.seconds(300))
        queue = WorkQueue(
            self,
            "DispatchQueue",
            drained_by=dispatch,
            tries=8,
            batch_size=1,
            max_concurrency=rooms.config.max_concurrency["dispatch"],
        )
        windows = queue.known_as("DISPATCH_QUEUE")
        dispatch.may("dynamodb:Query", on=rooms.ledger.due)
        dispatch.may("dynamodb:GetItem", on=rooms.control.items)
        rooms.tasks.written_by(dispatch)
        for receiver in (*granting.low, *recycling.queues.values(), windows):  # to itself, what it had no time for
            dispatch.may("sqs:SendMessage", on=receiver)
        rooms.letters.take_from(dispatch)

        self.step = Step(self, "plan", config=rooms.config, timeout=Duration.seconds(120))
        self.step.may("dynamodb:GetItem", "dynamodb:PutItem", on=rooms.control.items)
        self.step.may("sqs:SendMessage", on=windows)
        self.step.gives_up_to(DeadLetters(self, "FailedPlans"))
        rooms.jobs.start(self.step, undelivered=DeadLetters(self, "Undelivered"))
