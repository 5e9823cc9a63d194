"""Exporting: every night the tables as they stood at a moment, for `rewards audit` and whoever else computes with them.

DynamoDB writes an export by itself, out of its backups, and no reader or writer of the table notices; so nothing of
ours runs: the schedule calls DynamoDB. It takes a table with point-in-time recovery.
"""

from collections.abc import Mapping

from aws_cdk import Duration, TimeZone
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_scheduler_targets as targets
from constructs import Construct

from infra.bucket import Bucket
from infra.config import Config
from infra.table import Table
from infra.work_queue import DeadLetters

HOUR = 3
MINUTES_BETWEEN = 5
KEPT_FOR = Duration.days(14)


class Exporting(Construct):
    """The `tables` go to the bucket one after another, under their names, the ledger last.

    The order matters to those who compare them: all that a provider has done, the ledger knew before; what the ledger
    says is done, the provider did, but perhaps not yet when its table was written out.
    """

    def __init__(self, scope: Construct, id: str, *, config: Config, tables: Mapping[str, Table]) -> None:
        super().__init__(scope, id)
        self.bucket = Bucket(self, "Bucket", config=config, kept_for=KEPT_FOR)
        undelivered = DeadLetters(self, "Undelivered")
        zone = TimeZone.of(config.time_zone)
        for place, (name, table) in enumerate(tables.items()):
            scheduler.Schedule(
                self,
                name.capitalize(),
                schedule=scheduler.ScheduleExpression.cron(
                    hour=str(HOUR), minute=str(place * MINUTES_BETWEEN), time_zone=zone
                ),
                target=targets.Universal(
                    service="dynamodb",
                    action="exportTableToPointInTime",
                    input=scheduler.ScheduleTargetInput.from_object(
                        {
                            "TableArn": table.table_arn,
                            "S3Bucket": self.bucket.bucket_name,
                            "S3Prefix": name,
                            "ExportFormat": "DYNAMODB_JSON",
                            "ExportType": "FULL_EXPORT",
                        }
                    ),
                    dead_letter_queue=undelivered,
                    max_event_age=Duration.minutes(MINUTES_BETWEEN),
                    policy_statements=self._rights(table),
                ),
            )

    def _rights(self, table: Table) -> list[iam.PolicyStatement]:
        """DynamoDB writes to the bucket with the rights of whoever asks for the export."""
        write = ["s3:PutObject", "s3:PutObjectAcl", "s3:AbortMultipartUpload"]
        return [
            iam.PolicyStatement(actions=["dynamodb:ExportTableToPointInTime"], resources=[table.table_arn]),
            iam.PolicyStatement(actions=write, resources=[self.bucket.arn_for_objects("*")]),
        ]
