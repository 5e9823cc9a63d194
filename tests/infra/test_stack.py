"""The stack as a whole: its house defaults, its stages, its outputs, and that it comes out the same each time."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.config import Config
from infra.rewards_stack import RewardsStack
from tests.infra.template import CONTEXT, FASTER, SERVICE, Template

PROJECT = Path(__file__).parents[2]
STEPS = {path.stem for path in (PROJECT / "functions" / "steps").glob("*.py")} - {"__init__"}


def test_every_step_is_deployed(dev: Template) -> None:
    assert dev.functions().keys() == STEPS


def test_every_step_has_the_house_defaults(dev: Template) -> None:
    for function in dev.functions().values():
        assert function["Runtime"] == "python3.13"
        assert function["Architectures"] == ["arm64"]
        assert function["TracingConfig"] == {"Mode": "Active"}
        assert len(function["Layers"]) == 1
        assert "ReservedConcurrentExecutions" not in function
        assert dev.target(function["LoggingConfig"]["LogGroup"]).endswith("/Log")
    assert {log["RetentionInDays"] for log in dev.all("AWS::Logs::LogGroup").values()} == {30}


def test_all_steps_are_one_version_of_one_asset(dev: Template) -> None:
    assert len({str(function["Code"]) for function in dev.functions().values()}) == 1


def test_a_lease_outlives_its_worker_and_ends_before_its_message_returns(dev: Template) -> None:
    for step in ("grant_points", "grant_coupon", "recycle_points", "recycle_coupon"):
        function = dev.functions()[step]
        assert function["Timeout"] < int(dev.environment(step)["LEASE_SECONDS"]) < 6 * function["Timeout"]


def test_the_ledger_has_the_indexes_its_readers_ask(dev: Template) -> None:
    ledger = dev.all("AWS::DynamoDB::Table")["Ledger/Table"]
    due, member = ledger["GlobalSecondaryIndexes"]
    assert [key["AttributeName"] for key in ledger["KeySchema"]] == ["Order", "Item"]
    assert due["IndexName"] == "BookingDateUTC-BookingTimeUTC-index"
    assert [key["AttributeName"] for key in due["KeySchema"]] == ["BookingDateUTC", "BookingTimeUTC"]
    assert due["Projection"] == {"NonKeyAttributes": ["RewardType", "Source"], "ProjectionType": "INCLUDE"}
    assert member["IndexName"] == "member-index"
    assert [key["AttributeName"] for key in member["KeySchema"]] == ["Member", "OrderTime"]
    assert member["Projection"] == {"ProjectionType": "KEYS_ONLY"}


def test_production_loses_nothing(prod: Template) -> None:
    for table in prod.all("AWS::DynamoDB::Table").values():
        assert table["DeletionProtectionEnabled"] is True
        assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert _policies(prod) == {("Retain", "Retain")}
    assert not prod.all("Custom::S3AutoDeleteObjects")


def test_what_is_for_trying_out_goes_with_its_stack(dev: Template) -> None:
    assert not any(table["DeletionProtectionEnabled"] for table in dev.all("AWS::DynamoDB::Table").values())
    assert _policies(dev) == {("Delete", "Delete")}
    assert len(dev.all("Custom::S3AutoDeleteObjects")) == len(dev.all("AWS::S3::Bucket"))


def _policies(template: Template) -> set[tuple[str, str]]:
    """What becomes of tables and buckets when they are deleted or replaced."""
    return {
        (resource["DeletionPolicy"], resource["UpdateReplacePolicy"])
        for resource in template.resources.values()
        if resource["Type"] in ("AWS::DynamoDB::Table", "AWS::S3::Bucket")
    }


def test_every_bucket_is_private(dev: Template) -> None:
    for bucket in dev.all("AWS::S3::Bucket").values():
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
        assert bucket["BucketEncryption"]


def test_lists_of_tasks_are_forgotten_and_letters_are_not(dev: Template) -> None:
    buckets = dev.all("AWS::S3::Bucket")
    assert [rule["ExpirationInDays"] for rule in buckets["Tasks/Bucket"]["LifecycleConfiguration"]["Rules"]] == [14]
    assert "LifecycleConfiguration" not in buckets["Letters/Bucket"]


def test_the_outputs_are_what_operators_and_shops_build_on(dev: Template) -> None:
    assert dev.outputs.keys() == {
        "TimeZone",
        "Settings",
        "OrdersBusName",
        "RewardsBusName",
        "LedgerTableName",
        "QuotaTableName",
        "PromotionsTableName",
        "WalletTableName",
        "CouponsTableName",
        "ControlTableName",
        "LettersTableName",
        "LettersBucketName",
        "ImportBucketName",
        "ScheduleGroupName",
        "CollectFunctionName",
        "FindingsBucketName",
        "PlanFunctionName",
        "SweepFunctionName",
        "AlarmsTopicArn",
        "IncidentsTopicArn",
        "TimersQueueUrl",
        "WorkQueueUrls",
        "TaskQueueUrls",
        "DeadLetterQueueUrls",
    }


@pytest.mark.parametrize(("stage", "provider"), [("dev", "wallet"), ("with_service", "http")])
def test_the_operators_command_learns_who_the_provider_is(
    stage: str, provider: str, request: pytest.FixtureRequest
) -> None:
    template: Template = request.getfixturevalue(stage)
    assert json.loads(template.outputs["Settings"]["Value"])["PROVIDER"] == provider


def test_together_the_outputs_name_every_queue(dev: Template) -> None:
    named = {
        dev.target(part)
        for output in ("WorkQueueUrls", "DeadLetterQueueUrls")
        for part in dev.outputs[output]["Value"]["Fn::Join"][1]
        if isinstance(part, dict)
    }
    assert named == dev.all("AWS::SQS::Queue").keys()


def test_each_queue_of_tasks_has_its_address_under_its_name(dev: Template) -> None:
    parts = dev.outputs["TaskQueueUrls"]["Value"]["Fn::Join"][1]
    names = re.findall(r'"(\w+)":', "".join(part for part in parts if isinstance(part, str)))
    queues = [dev.target(part) for part in parts if isinstance(part, dict)]
    assert dict(zip(names, queues, strict=True)) == {
        "grant_points_high": "Granting/PointsHigh",
        "grant_points_low": "Granting/PointsLow",
        "grant_coupon_high": "Granting/CouponHigh",
        "grant_coupon_low": "Granting/CouponLow",
        "recycle_points": "Recycling/Points",
        "recycle_coupon": "Recycling/Coupon",
    }


def test_it_can_stand_beside_another_of_itself(dev: Template) -> None:
    """CloudFormation names everything, but for a policy within its role and a bus, which the CDK names by the stack."""
    for resource in dev.resources.values():
        kind = resource["Type"].rsplit("::", 1)[-1]
        if kind not in ("Policy", "EventBus"):
            assert not {f"{kind}Name", "Name"} & resource.get("Properties", {}).keys()


def test_it_stays_well_under_the_limit_of_a_stack(dev: Template) -> None:
    assert len(dev.resources) <= 400


def test_another_process_synthesizes_the_same(dev: Template) -> None:
    synthesis = "import json; from tests.infra.template import synthesize; print(json.dumps(synthesize().content))"
    other = subprocess.run(
        [sys.executable, "-c", synthesis],
        cwd=PROJECT,
        env=os.environ | {"PYTHONHASHSEED": "1"},
        check=True,
        capture_output=True,
    )
    assert json.loads(other.stdout) == dev.content


@pytest.mark.parametrize("provider", [CONTEXT["rewards"]["provider"], SERVICE])
def test_aws_solutions_finds_nothing_that_has_no_reason(provider: dict[str, str]) -> None:
    app = App(context=CONTEXT | FASTER | {"rewards": CONTEXT["rewards"] | {"provider": provider}})
    RewardsStack(app, "Rewards-dev", config=Config.from_context(app.node))
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()
