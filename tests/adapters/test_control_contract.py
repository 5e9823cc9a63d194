"""What the memory of planner and sweep promises, in memory and in DynamoDB; and the embedded clock."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone

import boto3
import pytest
from moto import mock_aws

from adapters.control import DynamoControl
from rewards.control import Control
from tests.fakes.control import MemoryControl
from tests.fakes.tables import make_table

FIVE_PM = datetime(2026, 12, 1, 17, tzinfo=UTC)


@pytest.fixture
def dynamo() -> Iterator[DynamoControl]:
    with mock_aws():
        client = boto3.client("dynamodb")
        make_table(client, "control", "Item")
        yield DynamoControl(client, "control")


@pytest.fixture(params=["memory", "dynamo"])
def control(request: pytest.FixtureRequest) -> Control:
    return MemoryControl() if request.param == "memory" else request.getfixturevalue("dynamo")


def test_nothing_is_remembered_at_first(control: Control) -> None:
    assert control.cursor("reward") is None
    assert control.oldest("reward") is None


def test_each_kind_has_its_own_cursor_and_oldest_date(control: Control) -> None:
    control.move_cursor("reward", FIVE_PM)
    control.move_oldest("recycle", date(2026, 12, 1))
    assert control.cursor("reward") == FIVE_PM
    assert control.cursor("recycle") is None
    assert control.oldest("recycle") == date(2026, 12, 1)
    assert control.oldest("reward") is None


def test_cursor_and_oldest_date_never_go_back(control: Control) -> None:
    control.move_cursor("reward", FIVE_PM)
    control.move_cursor("reward", FIVE_PM - timedelta(hours=1))
    control.move_cursor("reward", FIVE_PM)
    assert control.cursor("reward") == FIVE_PM
    control.move_oldest("reward", date(2026, 12, 1))
    control.move_oldest("reward", date(2026, 11, 30))
    assert control.oldest("reward") == date(2026, 12, 1)


def test_a_cursor_is_the_same_instant_in_whatever_zone_it_was_told(control: Control) -> None:
    control.move_cursor("reward", FIVE_PM.astimezone(timezone(timedelta(hours=8))))
    assert control.cursor("reward") == FIVE_PM
    control.move_cursor("reward", FIVE_PM + timedelta(hours=1))
    assert control.cursor("reward") == FIVE_PM + timedelta(hours=1)


def test_the_embedded_clock_stands_where_the_control_item_says(dynamo: DynamoControl) -> None:
    assert dynamo.clock_offset() == timedelta()
    boto3.client("dynamodb").put_item(TableName="control", Item={"Item": {"S": "CLOCK"}, "OffsetSeconds": {"N": "90"}})
    assert dynamo.clock_offset() == timedelta(seconds=90)
