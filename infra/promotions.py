"""Promotions: each shop's rules, as the operator put them."""

from constructs import Construct

from infra.config import Config
from infra.table import Table


class Promotions(Construct):
    """The promotions of every shop."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.table = Table(self, "Table", config=config, partition_key="Shop", sort_key="Item")
        self.items = self.table.known_as("PROMOTIONS_TABLE")
