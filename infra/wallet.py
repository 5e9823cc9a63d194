"""The wallet: the provider of points that is built in, a ledger of entries by idempotency key with a balance."""

from constructs import Construct

from infra.config import Config
from infra.step import Step
from infra.table import Table


class Wallet(Construct):
    """What the members hold."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.table = Table(self, "Table", config=config, partition_key="Member", sort_key="Item")

    def serves(self, step: Step) -> None:
        """Let a step grant and take back points: each time an entry and the balance in one transaction."""
        step.may("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", on=self.table.known_as("WALLET_TABLE"))
