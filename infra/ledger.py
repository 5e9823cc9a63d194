"""The ledger: the table that is the state of every order's rewards, the index of the work still to do, and the counts
of the places that rewards hold, which change in one transaction with them."""

from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.config import Config
from infra.step import Resource
from infra.table import Table, text

DUE_INDEX = "BookingDateUTC-BookingTimeUTC-index"
MEMBER_INDEX = "member-index"


class Ledger(Construct):
    """Orders, rewards and their history: `items` by their keys, `due` by the time something is owed on them.

    `quota` is known to all who write rewards, and may be written by those who take places or give them back.
    """

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id)
        self.table = Table(
            self,
            "Table",
            config=config,
            partition_key="Order",
            sort_key="Item",
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
        )
        self.table.add_global_secondary_index(
            index_name=DUE_INDEX,
            partition_key=text("BookingDateUTC"),
            sort_key=text("BookingTimeUTC"),
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=["RewardType", "Source"],
        )
        self.table.add_global_secondary_index(
            index_name=MEMBER_INDEX,
            partition_key=text("Member"),
            sort_key=text("OrderTime"),
            projection_type=dynamodb.ProjectionType.KEYS_ONLY,
        )
        self.quota_table = Table(self, "Quota", config=config, partition_key="Counted")
        self.quota = self.quota_table.known_as("QUOTA_TABLE")
        self.items = self.table.known_as("LEDGER_TABLE")
        self.due = Resource("LEDGER_TABLE", self.table.table_name, f"{self.table.table_arn}/index/{DUE_INDEX}")
