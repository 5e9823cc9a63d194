"""Sweep: the real handler on DynamoDB and SQS."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import get_args

import pytest
from botocore.exceptions import ClientError

from bootstrap.clients import dynamodb, sqs
from bootstrap.control import control
from bootstrap.queues import tasks
from rewards.sweeping import BUSY_MESSAGES
from rewards.tasks import Queue, Task, parse_task
from steps.grant_points import handler as grant
from steps.recycle_points import handler as recycle
from steps.sweep import handler
from steps.withdraw import handler as withdraw
from telemetry import metrics
from tests.fakes.faults import refuse
from tests.steps.conftest import Cloud
from tests.steps.due import GROUP, MEMBER, TASK, let_it_fall_due
from tests.steps.orders import ALL_RETURNED

OVERDUE = datetime(2026, 11, 9, 19, 30, tzinfo=UTC)
EVENT: dict[str, object] = {"execute_time": "2026-11-09T19:30:00Z"}


@pytest.fixture
def due(cloud: Cloud) -> Cloud:
    let_it_fall_due(cloud)
    return cloud


def test_a_reward_nobody_dispatched_is_sent_when_the_grace_is_over(due: Cloud) -> None:
    handler(EVENT, due.context())
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == []
    due.travel(OVERDUE)
    handler(EVENT, due.context())
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == [TASK]


def test_it_is_sent_by_every_run_until_it_is_granted_and_by_none_after(due: Cloud) -> None:
    due.travel(OVERDUE)
    for _ in range(2):
        handler(EVENT, due.context())
    tasks = due.sent("GRANT_POINTS_LOW_QUEUE")
    assert tasks == [TASK, TASK]
    grant(due.deliver(*map(json.dumps, tasks)), due.context())
    handler(EVENT, due.context())
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == []
    assert due.wallet.account(MEMBER).balance == 79


def test_a_recycle_whose_message_was_lost_is_sent_to_the_recycle_queue(due: Cloud) -> None:
    grant(due.deliver(json.dumps(TASK)), due.context())
    withdraw(due.deliver(ALL_RETURNED), due.context())
    assert due.sent("RECYCLE_POINTS_QUEUE") == [{"groups": [GROUP], "v": 1}]
    due.travel(OVERDUE + timedelta(hours=1))
    handler(EVENT, due.context())
    (again,) = due.sent("RECYCLE_POINTS_QUEUE")
    recycle(due.deliver(json.dumps(again)), due.context())
    assert due.wallet.account(MEMBER).balance == 0


def test_a_busy_queue_is_left_alone(due: Cloud) -> None:
    due.travel(OVERDUE)
    tasks("grant_points_low").send([Task()] * BUSY_MESSAGES)
    handler(EVENT, due.context())
    assert len(due.sent("GRANT_POINTS_LOW_QUEUE")) == BUSY_MESSAGES


def test_it_tells_how_long_the_oldest_has_waited_and_nothing_while_it_stands_back(
    due: Cloud, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    metrics.clear_metrics()  # what other tests counted and nobody wrote

    def told() -> dict[str, list[float]]:
        handler(EVENT, due.context())
        written = json.loads(capsys.readouterr().out.splitlines()[-1])
        return {name: value for name, value in written.items() if name.startswith("OldestOverdue")}

    assert told() == {"OldestOverdueGrantMinutes": [0], "OldestOverdueRecycleMinutes": [0]}
    due.travel(OVERDUE + timedelta(hours=4))
    assert told() == {"OldestOverdueGrantMinutes": [270], "OldestOverdueRecycleMinutes": [0]}
    for queue in get_args(Queue):
        if queue.startswith("grant"):
            tasks(queue).send([Task()] * BUSY_MESSAGES)
    assert told() == {"OldestOverdueRecycleMinutes": [0]}


def test_the_oldest_date_moves_on_once_nothing_older_waits(due: Cloud) -> None:
    due.travel(OVERDUE + timedelta(days=1))
    handler(EVENT, due.context())
    assert control().oldest("reward") == date(2026, 11, 9)
    assert control().oldest("recycle") == date(2026, 11, 10)
    grant(due.deliver(json.dumps(TASK)), due.context())
    handler(EVENT, due.context())
    assert control().oldest("reward") == date(2026, 11, 10)


def spoil(partition: str, key: str) -> None:
    """A row that somebody wrote into the due index by hand."""
    item = {"Order": "1#HAND", "Item": "REWARD#1", "BookingDateUTC": partition, "BookingTimeUTC": key}
    dynamodb().put_item(TableName="LEDGER_TABLE", Item={name: {"S": value} for name, value in item.items()})


@pytest.mark.parametrize("slot", ["2026-11-09T10:00:00", "2026-11-09T10:00:00-23:00", "at ten"])
@pytest.mark.parametrize("kind", ["expire", "reward"])
def test_a_row_whose_slot_is_no_time_of_ours_costs_only_itself(due: Cloud, kind: str, slot: str) -> None:
    spoil(f"{kind}#2026-11-09#01", f"{slot}#1#M#P#at#HAND")
    grant(due.deliver(json.dumps(TASK)), due.context())
    withdraw(due.deliver(ALL_RETURNED), due.context())
    (task,) = due.sent("RECYCLE_POINTS_QUEUE")
    due.travel(OVERDUE + timedelta(hours=1))
    handler(EVENT, due.context())
    (again,) = due.sent("RECYCLE_POINTS_QUEUE")
    assert parse_task(json.dumps(again)).rewards() == parse_task(json.dumps(task)).rewards()


def test_what_is_overdue_of_one_kind_does_not_wait_for_another_that_fails(due: Cloud) -> None:
    due.travel(OVERDUE)
    spoil("expire#2026-11-09#01", "2026-11-09T19:00:00Z#1#M#P#at#HAND")
    refuse(sqs(), "SendMessageBatch", "AccessDenied")  # the timers' is the first
    with pytest.raises(ClientError, match="AccessDenied"):
        handler(EVENT, due.context())
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == [TASK]
