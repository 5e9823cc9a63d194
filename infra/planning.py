"""Planning: each period's due rewards, and each day's offline returns, from the clock to the work queues."""

from aws_cdk import Duration
from constructs import Construct

from infra.config import Config
from infra.control import Control
from infra.granting import Granting
from infra.jobs import Jobs
from infra.ledger import Ledger
from infra.letters import Letters
from infra.recycling import Recycling
from infra.step import Step
from infra.tasks import Tasks
from infra.work_queue import DeadLetters, WorkQueue


class Planning(Construct):
    """`plan` cuts the time since its last run into windows and shards; `dispatch` turns each into tasks."""

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
        letters: Letters,
    ) -> None:
        super().__init__(scope, id)
        dispatch = Step(self, "dispatch", config=config, timeout=Duration.seconds(300))
        queue = WorkQueue(
            self,
            "DispatchQueue",
            drained_by=dispatch,
            tries=8,
            batch_size=1,
            max_concurrency=config.max_concurrency["dispatch"],
        )
        windows = queue.known_as("DISPATCH_QUEUE")
        dispatch.may("dynamodb:Query", on=ledger.due)
        dispatch.may("dynamodb:GetItem", on=control.items)
        tasks.written_by(dispatch)
        for receiver in (*granting.low, *recycling.queues.values(), windows):  # to itself, what it had no time for
            dispatch.may("sqs:SendMessage", on=receiver)
        letters.take_from(dispatch)

        self.step = Step(self, "plan", config=config, timeout=Duration.seconds(120))
        self.step.may("dynamodb:GetItem", "dynamodb:PutItem", on=control.items)
        self.step.may("sqs:SendMessage", on=windows)
        self.step.gives_up_to(DeadLetters(self, "FailedPlans"))
        jobs.start(self.step, undelivered=DeadLetters(self, "Undelivered"))
