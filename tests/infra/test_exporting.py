"""The nightly exports: of every table the audit compares, in production only, and the ledger last."""

import json

from tests.infra.template import Properties, Template

TABLES = ["wallet", "coupons", "quota", "ledger"]


def exports(template: Template) -> dict[str, Properties]:
    """By the table."""
    found = template.all("AWS::Scheduler::Schedule")
    return {name.split("/")[1].lower(): each for name, each in found.items() if name.startswith("Exporting/")}


def test_every_table_is_exported_by_dynamodb_itself_and_the_ledger_last(prod: Template) -> None:
    times = {name: each["ScheduleExpression"] for name, each in exports(prod).items()}
    assert times == {name: f"cron({5 * place} 3 * * ? *)" for place, name in enumerate(TABLES)}
    for schedule in exports(prod).values():
        assert schedule["ScheduleExpressionTimezone"] == "Asia/Taipei"
        assert schedule["Target"]["Arn"]["Fn::Join"][1][-1] == ":scheduler:::aws-sdk:dynamodb:exportTableToPointInTime"


def test_an_export_goes_where_it_is_looked_for(prod: Template) -> None:
    for name, schedule in exports(prod).items():
        parts = schedule["Target"]["Input"]["Fn::Join"][1]
        told = json.loads("".join(part if isinstance(part, str) else prod.target(part) for part in parts))
        assert told == {
            "TableArn": {"wallet": "Wallet/Table", "coupons": "Wallet/Coupons", "quota": "Ledger/Quota"}.get(
                name, "Ledger/Table"
            ),
            "S3Bucket": "Exporting/Bucket",
            "S3Prefix": name,
            "ExportFormat": "DYNAMODB_JSON",
            "ExportType": "FULL_EXPORT",
        }


def test_one_that_comes_too_late_is_given_up_before_the_next_begins(prod: Template) -> None:
    for schedule in exports(prod).values():
        assert schedule["Target"]["RetryPolicy"]["MaximumEventAgeInSeconds"] == 300
        assert prod.target(schedule["Target"]["DeadLetterConfig"]["Arn"]) == "Exporting/Undelivered"


def test_a_schedule_may_export_tables_into_the_bucket_and_nothing_else(prod: Template) -> None:
    rights = {
        (action, prod.target(on))
        for name, policy in prod.all("AWS::IAM::Policy").items()
        if "ExportTableToPointInTime" in str(policy)
        for statement in policy["PolicyDocument"]["Statement"]
        for action in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
        for on in (statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]])
    }
    tables = {"Wallet/Table", "Wallet/Coupons", "Ledger/Quota", "Ledger/Table"}
    assert {on for action, on in rights if action == "dynamodb:ExportTableToPointInTime"} == tables
    assert {action for action, on in rights if on.startswith("Exporting/Bucket/")} == {
        "s3:PutObject",
        "s3:PutObjectAcl",
        "s3:AbortMultipartUpload",
    }
    assert all(on in tables or on.startswith("Exporting/") for _, on in rights)


def test_elsewhere_there_is_no_backup_to_export_from(dev: Template) -> None:
    assert exports(dev) == {}
