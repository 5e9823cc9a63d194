"""Publishing: from the ledger's stream, the history of every reward and the events others may follow."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from constructs import Construct

from infra.config import Config
from infra.ledger import Ledger
from infra.letters import Letters
from infra.step import Resource, Step
from infra.stream import RewardStream


class Publishing(Construct):
    """The `bus` of reward events. A change is never published without being made, nor made without being published."""

    def __init__(self, scope: Construct, id: str, *, config: Config, ledger: Ledger, letters: Letters) -> None:
        super().__init__(scope, id)
        self.bus = events.EventBus(self, "Bus")
        step = Step(self, "publish", config=config, timeout=Duration.seconds(60))
        step.may("dynamodb:BatchWriteItem", on=ledger.items)
        step.may("events:PutEvents", on=Resource("REWARDS_BUS", self.bus.event_bus_name, self.bus.event_bus_arn))
        letters.take_from(step)
        self.stream = RewardStream(step, ledger=ledger, letters=letters)
