"""Control items: how far each kind of work was planned, the breakers, and on the embedded cloud the clock."""

from collections.abc import Iterable

from constructs import Construct

from infra.config import Config
from infra.step import Step
from infra.table import Table


class Control(Construct):
    """A small table of single items, each with its own owner."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.table = Table(self, "Table", config=config, partition_key="Item")
        self.items = self.table.known_as("CONTROL_TABLE")

    def guards_providers_of(self, step: Step) -> None:
        """Let a step look at the breakers of the providers it calls, and open and close them."""
        step.may("dynamodb:GetItem", "dynamodb:PutItem", on=self.items)

    def sets_the_clock_of(self, steps: Iterable[Step]) -> None:
        """Let the operator move the time of every step: never on AWS, where time is time."""
        for step in steps:
            step.may("dynamodb:GetItem", on=self.items)
            step.function.add_environment("EMBEDDED_CLOCK", "true")
