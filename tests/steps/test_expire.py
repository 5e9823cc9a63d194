"""Expire: the real handler on DynamoDB and SQS."""

import json
from datetime import timedelta

import pytest

from rewards.promotion import Quota
from rewards.status import Status
from rewards.tasks import parse_task
from steps.book import handler as book
from steps.expire import handler
from steps.occupy import handler as occupy
from steps.sweep import handler as sweep
from tests.builders import ORDERED_AT, a_promotion
from tests.steps.conftest import Cloud
from tests.steps.orders import PAID
from tests.steps.test_occupy import ID, PLACED, TIMER

LIMITED = a_promotion(quota=Quota(total=2, occupy=True, unpaid_minutes=30))
DEADLINE = ORDERED_AT + timedelta(minutes=30)


@pytest.fixture
def placed(cloud: Cloud) -> Cloud:
    cloud.promotions.put(LIMITED)
    occupy(cloud.deliver(PLACED), cloud.context())
    return cloud


def timer(cloud: Cloud) -> dict[str, object]:
    return cloud.deliver(json.dumps(TIMER))


def status(cloud: Cloud) -> Status | None:
    row = cloud.ledger.reward(ID)
    return row and row.status


def places(cloud: Cloud) -> int:
    return sum(cloud.quota.used(LIMITED).shards)


def test_what_is_unpaid_at_the_deadline_is_cancelled_and_its_place_is_free(placed: Cloud) -> None:
    placed.travel(DEADLINE)
    assert handler(timer(placed), placed.context()) == {"batchItemFailures": []}
    assert (status(placed), places(placed)) == (Status.CANCEL, 0)


def test_the_same_timer_twice_gives_one_place_back(placed: Cloud) -> None:
    placed.travel(DEADLINE)
    handler(placed.deliver(json.dumps(TIMER), json.dumps(TIMER)), placed.context())
    handler(timer(placed), placed.context())
    assert (status(placed), places(placed)) == (Status.CANCEL, 0)


def test_what_is_paid_is_left_alone(placed: Cloud) -> None:
    book(placed.deliver(PAID), placed.context())
    placed.travel(DEADLINE)
    handler(timer(placed), placed.context())
    assert (status(placed), places(placed)) == (Status.WAIT, 1)


def test_one_that_comes_early_is_sent_on_with_the_time_that_is_left(placed: Cloud) -> None:
    placed.travel(DEADLINE - timedelta(minutes=1))
    handler(timer(placed), placed.context())
    assert (status(placed), places(placed)) == (Status.OCCUPY, 1)
    assert placed.sent("TIMERS_QUEUE") == []
    placed.travel(DEADLINE)
    assert placed.sent("TIMERS_QUEUE") == [TIMER]


def test_the_sweep_starts_the_timer_a_quarter_of_an_hour_before_it_is_due(placed: Cloud) -> None:
    sweep({}, placed.context())
    placed.travel(DEADLINE - timedelta(minutes=14))
    sweep({}, placed.context())
    assert placed.sent("TIMERS_QUEUE") == []
    placed.travel(DEADLINE + timedelta(seconds=1))
    (swept,) = placed.sent("TIMERS_QUEUE")
    assert parse_task(json.dumps(swept)).rewards() == parse_task(json.dumps(TIMER)).rewards()
    handler(placed.deliver(json.dumps(swept)), placed.context())
    assert (status(placed), places(placed)) == (Status.CANCEL, 0)


def test_a_poisoned_timer_is_parked_and_the_others_of_its_batch_are_heard(placed: Cloud) -> None:
    placed.travel(DEADLINE)
    event = placed.deliver("tick", json.dumps(TIMER))
    assert handler(event, placed.context()) == {"batchItemFailures": []}
    assert status(placed) is Status.CANCEL
    (letter,) = placed.sent("LETTERS_QUEUE")
    assert (letter["kind"], letter["body"]) == ("invalid", "tick")
