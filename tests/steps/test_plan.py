"""Plan: the real handler on DynamoDB and SQS."""

from datetime import UTC, datetime, timedelta

import boto3
import pytest

from bootstrap.control import control
from rewards.errors import Invalid
from steps.plan import handler
from tests.steps.conftest import Cloud
from tests.steps.due import RUN, let_it_fall_due

HOUR_OF_RUN = {"start": "2026-11-09T18:00:00+00:00", "end": "2026-11-09T19:00:00+00:00", "messages": 4}


@pytest.fixture
def due(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    monkeypatch.setenv("DISPATCH_SPREAD_SECONDS", "0")
    let_it_fall_due(cloud)
    return cloud


def test_the_window_goes_to_the_dispatchers_once_for_each_shard(due: Cloud) -> None:
    assert handler(RUN, due.context()) == HOUR_OF_RUN
    windows = due.sent("DISPATCH_QUEUE")
    assert [window["shard"] for window in windows] == [0, 1, 2, 3]
    assert {(window["kind"], window["date"], window["start"], window["end"]) for window in windows} == {
        ("reward", "2026-11-09", "2026-11-09T18:00Z", "2026-11-09T19:00Z")
    }


def test_a_schedule_that_fires_twice_plans_the_same_window_and_leaves_the_cursor(due: Cloud) -> None:
    handler(RUN, due.context())
    assert handler(RUN, due.context()) == HOUR_OF_RUN
    assert control().cursor("reward") == datetime(2026, 11, 9, 19, tzinfo=UTC)


def test_dispatchers_are_spread_over_the_seconds_set_for_it(due: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPATCH_SPREAD_SECONDS", "60")
    handler(RUN, due.context())
    assert [window["shard"] for window in due.sent("DISPATCH_QUEUE")] == [0]
    due.travel(datetime(2026, 11, 9, 19, 2, tzinfo=UTC))
    assert [window["shard"] for window in due.sent("DISPATCH_QUEUE")] == [1, 2, 3]


def test_a_time_the_scheduler_did_not_fill_in_is_now(due: Cloud) -> None:
    unfilled = {"kind": "reward", "execute_time": "<aws.scheduler.scheduled-time>"}
    assert handler(unfilled, due.context()) == HOUR_OF_RUN


def test_a_poison_event_fails_and_plans_nothing(due: Cloud) -> None:
    with pytest.raises(Invalid, match="kind: is missing"):
        handler({"execute_time": "2026-11-09T19:01:00Z"}, due.context())
    assert due.sent("DISPATCH_QUEUE") == []


def test_a_time_to_come_is_refused_unless_the_embedded_clock_has_reached_it(
    due: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    tomorrow = {"kind": "reward", "execute_time": "2026-11-10T19:01:00Z"}
    with pytest.raises(Invalid, match="has not come"):
        handler(tomorrow, due.context())
    ahead = str(int(timedelta(days=1).total_seconds()))
    boto3.client("dynamodb").put_item(
        TableName="CONTROL_TABLE", Item={"Item": {"S": "CLOCK"}, "OffsetSeconds": {"N": ahead}}
    )
    with pytest.raises(Invalid, match="has not come"):
        handler(tomorrow, due.context())
    monkeypatch.setenv("EMBEDDED_CLOCK", "true")
    assert handler(tomorrow, due.context())["end"] == "2026-11-10T19:00:00+00:00"
