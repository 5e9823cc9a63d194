"""Dispatch: the real handler on DynamoDB, SQS and S3."""

import json
from datetime import timedelta

import pytest

from bootstrap.lists import task_lists
from rewards.sharding import shard_of
from steps.dispatch import handler
from steps.grant_points import handler as grant
from tests.steps.conftest import Cloud
from tests.steps.due import LEAVES_AT, MEMBER, TASK, book_others, let_it_fall_due

SHARD = shard_of("1", "0012345", "28343", count=4)


def a_window(**fields: object) -> str:
    window = {"kind": "reward", "date": "2026-11-09", "start": "2026-11-09T18:00Z", "end": "2026-11-09T19:00Z"}
    return json.dumps(window | {"shard": SHARD} | fields)


@pytest.fixture
def due(cloud: Cloud) -> Cloud:
    let_it_fall_due(cloud)
    return cloud


def test_what_is_due_goes_to_the_low_queue(due: Cloud) -> None:
    assert handler(due.deliver(a_window()), due.context()) == {"batchItemFailures": []}
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == [TASK]


def test_a_window_that_comes_twice_sends_twice_and_pays_once(due: Cloud) -> None:
    for _ in range(2):
        handler(due.deliver(a_window()), due.context())
    tasks = due.sent("GRANT_POINTS_LOW_QUEUE")
    assert tasks == [TASK, TASK]
    grant(due.deliver(*map(json.dumps, tasks)), due.context())
    assert due.wallet.account(MEMBER).balance == 79


def test_once_it_is_granted_nothing_is_left_to_dispatch(due: Cloud) -> None:
    grant(due.deliver(json.dumps(TASK)), due.context())
    handler(due.deliver(a_window()), due.context())
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == []


def test_other_hours_and_other_shards_hold_nothing(due: Cloud) -> None:
    before = {"start": "2026-11-09T17:00Z", "end": "2026-11-09T18:00Z"}
    after = {"start": "2026-11-09T19:00Z", "end": "2026-11-09T20:00Z"}
    others = [a_window(**before), a_window(**after), a_window(shard=(SHARD + 1) % 4), a_window(kind="recycle")]
    handler(due.deliver(*others), due.context())
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == []
    assert due.sent("RECYCLE_POINTS_QUEUE") == []


@pytest.mark.parametrize("poison", ["no json", '{"kind": "reward"}', a_window(kind="expire"), a_window(shard="3")])
def test_a_poison_window_is_parked_and_the_rest_of_its_batch_is_dispatched(due: Cloud, poison: str) -> None:
    assert handler(due.deliver(poison, a_window()), due.context()) == {"batchItemFailures": []}
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == [TASK]
    (letter,) = due.sent("LETTERS_QUEUE")
    assert (letter["kind"], letter["body"]) == ("invalid", poison)


def test_a_window_of_a_newer_release_comes_back_until_that_release_reads_it(due: Cloud) -> None:
    answer = handler(due.deliver(a_window(v=2), attempts=14), due.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}


def test_without_time_the_rest_of_the_window_is_sent_on_and_the_next_one_finishes_it(due: Cloud) -> None:
    handler(due.deliver(a_window()), due.context(millis_left=1))
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == [TASK]
    (rest,) = due.sent("DISPATCH_QUEUE")
    assert rest["passes"] == 1
    handler(due.deliver(json.dumps(rest)), due.context())
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == []
    assert due.sent("DISPATCH_QUEUE") == []


def test_a_large_group_is_one_task_with_its_list_in_s3_and_is_granted_whole(cloud_of_batches: Cloud) -> None:
    due = cloud_of_batches
    let_it_fall_due(due)
    book_others(due, orders=30)
    due.travel(LEAVES_AT + timedelta(hours=1))
    handler(due.deliver(a_window(end="2026-11-09T20:00Z")), due.context())
    tasks = due.sent("GRANT_POINTS_LOW_QUEUE")
    (large,) = [task for task in tasks if "list_key" in task]
    assert len(task_lists().read(large["list_key"]).orders) > 25
    grant(due.deliver(*map(json.dumps, tasks)), due.context())
    assert due.wallet.account(MEMBER).balance == 31 * 79
