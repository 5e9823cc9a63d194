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

    def serves(self, step: Step, what: str, *, takes_back: bool) -> None:
        """Let a step give `Points` or `Coupon`, or take them back: entry, and balance or coupons, in one transaction.

        Only who takes back looks first at what there is.
        """
        items = {"Points": self.table.known_as("WALLET_TABLE"), "Coupon": self.coupons.known_as("COUPONS_TABLE")}
        step.may("dynamodb:PutItem", "dynamodb:UpdateItem", on=items[what])
        if takes_back:
            step.may("dynamodb:GetItem", on=items[what])
