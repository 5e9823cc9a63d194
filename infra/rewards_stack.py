"""The whole system for one stage. This file only composes; each capability is in a file of its own."""

from typing import TypeVar

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.alarms import Alarms
from infra.auditing import Auditing
from infra.config import Config
from infra.control import Control
from infra.expiring import Expiring
from infra.exporting import Exporting
from infra.granting import Granting
from infra.importing import Importing
from infra.jobs import Jobs
from infra.ledger import Ledger
from infra.letters import Letters
from infra.orders import Orders
from infra.parking import Parking
from infra.planning import Planning
from infra.promotions import Promotions
from infra.provider import Provider
from infra.publishing import Publishing
from infra.recycling import Recycling
from infra.rooms import Rooms
from infra.step import Step
from infra.sweeping import Sweeping
from infra.tasks import Tasks
from infra.wallet import Wallet
from infra.work_queue import DeadLetters, WorkQueue

C = TypeVar("C", bound=Construct)


class RewardsStack(Stack):
    """Order events go in, rewards come out once and on time, returns take back exactly what was given."""

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(scope, id, termination_protection=config.keeps_data)

        ledger = Ledger(self, "Ledger", config=config)
        promotions = Promotions(self, "Promotions", config=config)
        wallet = Wallet(self, "Wallet", config=config)
        provider = Provider(config.provider, wallet)
        control = Control(self, "Control", config=config)
        jobs = Jobs(self, "Jobs", config=config)
        tasks = Tasks(self, "Tasks", config=config)
        letters = Letters(self, "Letters", config=config)
        rooms = Rooms(config, ledger, promotions, provider, control, jobs, tasks, letters)

        recycling = Recycling(self, "Recycling", rooms=rooms)
        granting = Granting(self, "Granting", rooms=rooms, recycling=recycling)
        expiring = Expiring(self, "Expiring", config=config, ledger=ledger, letters=letters)
        orders = Orders(self, "Orders", rooms=rooms, granting=granting, recycling=recycling, expiring=expiring)
        importing = Importing(self, "Importing", rooms=rooms, granting=granting, recycling=recycling)
        planning = Planning(self, "Planning", rooms=rooms, granting=granting, recycling=recycling)
        sweeping = Sweeping(self, "Sweeping", rooms=rooms, granting=granting, recycling=recycling, expiring=expiring)
        publishing = Publishing(self, "Publishing", config=config, ledger=ledger, letters=letters)
        auditing = Auditing(self, "Auditing", config=config, ledger=ledger, letters=letters)
        tables = {
            "wallet": wallet.table,
            "coupons": wallet.coupons,
            "quota": ledger.quota_table,
            "ledger": ledger.table,
        }
        exporting = Exporting(self, "Exporting", config=config, tables=tables) if config.keeps_data else None
        alarms = Alarms(
            self,
            "Alarms",
            config=config,
            streams=[publishing.stream, auditing.stream],
            work=self._every(WorkQueue),
            dead_letters=self._every(DeadLetters),
        )
        Parking(
            self,
            "Parking",
            config=config,
            letters=letters,
            drains=self._every(DeadLetters),
            work=self._every(WorkQueue),
            steps=self._every(Step),
        )
        if config.embedded:
            control.sets_the_clock_of(self._every(Step))

        for name, value in {
            "TimeZone": config.time_zone,
            "Settings": self.to_json_string(config.environment() | {"PROVIDER": provider.name}),
            "OrdersBusName": orders.bus.event_bus_name,
            "RewardsBusName": publishing.bus.event_bus_name,
            "LedgerTableName": ledger.table.table_name,
            "QuotaTableName": ledger.quota_table.table_name,
            "PromotionsTableName": promotions.table.table_name,
            "WalletTableName": wallet.table.table_name,
            "CouponsTableName": wallet.coupons.table_name,
            "ControlTableName": control.table.table_name,
            "LettersTableName": letters.table.table_name,
            "FindingsBucketName": auditing.findings.bucket_name,
            **({"ExportsBucketName": exporting.bucket.bucket_name} if exporting else {}),
            "LettersBucketName": letters.bucket.bucket_name,
            "ImportBucketName": importing.bucket.bucket_name,
            "ScheduleGroupName": jobs.group,
            "CollectFunctionName": importing.step.function.function_name,
            "PlanFunctionName": planning.step.function.function_name,
            "SweepFunctionName": sweeping.step.function.function_name,
            "AlarmsTopicArn": alarms.topic.topic_arn,
            "IncidentsTopicArn": alarms.incidents.topic_arn,
            "TimersQueueUrl": expiring.queue.queue_url,
            "WorkQueueUrls": self.to_json_string([queue.queue_url for queue in self._every(WorkQueue)]),
            "TaskQueueUrls": self.to_json_string(granting.urls | recycling.urls),
            "DeadLetterQueueUrls": self.to_json_string([queue.queue_url for queue in self._every(DeadLetters)]),
        }.items():
            CfnOutput(self, name, value=value)

    def _every(self, kind: type[C]) -> list[C]:
        """All constructs of a kind, wherever in the stack they are: none can be forgotten."""
        return [construct for construct in self.node.find_all() if isinstance(construct, kind)]
