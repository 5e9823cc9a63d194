"""The wallet: the provider of points and coupons that is built in, each in a table with an entry for every key."""

from constructs import Construct

from infra.config import Config
from infra.step import Step
from infra.table import Table


class Wallet(Construct):
    """What the members hold: `table` has their points, `coupons` their coupons and the stock they come out of."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.table = Table(self, "Table", config=config, partition_key="Member", sort_key="Item")
        self.coupons = Table(self, "Coupons", config=config, partition_key="Item")

    def serves(self, step: Step) -> None:
        """Let a step that gives or takes back do it here."""
        points, coupons = self.table.known_as("WALLET_TABLE"), self.coupons.known_as("COUPONS_TABLE")
        match step.name:
            case "grant_points":
                step.may("dynamodb:PutItem", "dynamodb:PartiQLInsert", on=points)
            case "recycle_points":
                step.may("dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", on=points)
            case _:
                step.may("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", on=coupons)
