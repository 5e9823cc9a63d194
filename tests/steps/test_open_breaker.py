"""An open breaker: the real handlers leave alone what its provider would have to be called for."""

import json
from datetime import timedelta
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from bootstrap.breakers import breakers
from bootstrap.clients import dynamodb
from bootstrap.clock import now
from bootstrap.ledger import ledger
from bootstrap.queues import tasks
from rewards.breaker import PROBE_EVERY, Breaker
from rewards.order import OrderId
from rewards.provider import NotNow
from rewards.reward import Reward
from rewards.status import Status
from rewards.sweeping import PROBES
from steps.dispatch import handler as dispatch
from steps.grant_coupon import handler as grant_coupon
from steps.grant_points import handler as grant_points
from steps.recycle_points import handler as recycle_points
from steps.sweep import handler as sweep
from steps.withdraw import handler as withdraw
from tests.steps.conftest import Cloud
from tests.steps.due import GROUP, LEAVES_AT, MEMBER, TASK, book_others, let_it_fall_due
from tests.steps.orders import ALL_RETURNED
from tests.steps.test_dispatch import a_window

BODY = json.dumps(TASK)
HOUR = timedelta(hours=1)


@pytest.fixture
def due(cloud: Cloud) -> Cloud:
    let_it_fall_due(cloud)
    return cloud


def the_provider_says(wait: timedelta) -> None:
    before, told = breakers().breaker("points"), NotNow("503", wait)
    assert breakers().write_breaker("points", before, before.failed(told, now(), is_first=True))


def the_row(cloud: Cloud) -> Reward:
    (row,) = cloud.ledger.rewards(OrderId("1", "TG20193021"))
    return row


def test_a_message_is_acknowledged_and_its_row_not_even_claimed(due: Cloud) -> None:
    the_provider_says(HOUR)
    before = the_row(due)
    assert grant_points(due.deliver(BODY, attempts=1), due.context()) == {"batchItemFailures": []}
    assert the_row(due) == before
    assert due.wallet.balance(MEMBER) == 0


def test_when_the_wait_is_over_the_first_message_finds_out_that_the_provider_is_back(due: Cloud) -> None:
    the_provider_says(HOUR)
    due.travel(LEAVES_AT + HOUR)
    grant_points(due.deliver(BODY), due.context())
    assert the_row(due).status is Status.REWARD
    assert breakers().breaker("points").probe_at is None


def test_grants_and_recycles_share_the_breaker_of_their_provider(due: Cloud) -> None:
    grant_points(due.deliver(BODY), due.context())
    withdraw(due.deliver(ALL_RETURNED), due.context())
    the_provider_says(HOUR)
    assert recycle_points(due.deliver(BODY), due.context()) == {"batchItemFailures": []}
    assert due.wallet.balance(MEMBER) == 79
    due.travel(LEAVES_AT + HOUR)
    recycle_points(due.deliver(BODY), due.context())
    assert due.wallet.balance(MEMBER) == 0


def test_the_other_provider_has_a_breaker_of_its_own(due: Cloud) -> None:
    the_provider_says(HOUR)
    assert grant_coupon(due.deliver(BODY), due.context()) == {"batchItemFailures": []}
    assert breakers().breaker("coupons") == Breaker()


def test_a_window_sends_nothing_for_it(due: Cloud) -> None:
    the_provider_says(HOUR)
    assert dispatch(due.deliver(a_window()), due.context()) == {"batchItemFailures": []}
    assert due.sent("GRANT_POINTS_LOW_QUEUE") == []


def test_a_sweep_sends_a_few_rewards_over_the_time_until_the_next_one(due: Cloud) -> None:
    book_others(due, orders=30)
    due.travel(LEAVES_AT + 2 * HOUR)
    the_provider_says(HOUR)
    sweep({}, due.context())
    assert tasks("grant_points_low").depth() == PROBES
    (first,) = due.sent("GRANT_POINTS_LOW_QUEUE")
    assert len(first["keys"]) == 1
    due.travel(LEAVES_AT + 2 * HOUR + timedelta(minutes=9))
    assert len(due.sent("GRANT_POINTS_LOW_QUEUE")) == PROBES - 1


def test_a_wallet_that_cannot_be_written_to_is_left_alone_and_all_is_granted_when_it_can(
    cloud_of_batches: Cloud,
) -> None:
    """It is asked for many rewards at a time, so it is known after one call."""
    let_it_fall_due(cloud_of_batches)
    book_others(cloud_of_batches, orders=30)
    cloud_of_batches.travel(LEAVES_AT + HOUR)
    ledger()  # makes the client that the wallet shares
    orders = [f"TG{number}" for number in range(30)]
    task = json.dumps({"groups": [GROUP | {"orders": orders}], "v": 1})
    refuse_inserts(dynamodb(), calls=2)
    assert grant_points(cloud_of_batches.deliver(task), cloud_of_batches.context()) == {"batchItemFailures": []}
    assert breakers().breaker("points").problem
    assert cloud_of_batches.wallet.balance(MEMBER) == 0
    cloud_of_batches.travel(LEAVES_AT + HOUR + PROBE_EVERY)
    grant_points(cloud_of_batches.deliver(task), cloud_of_batches.context())
    assert cloud_of_batches.wallet.balance(MEMBER) == 30 * 79


def refuse_inserts(client: BaseClient, calls: int) -> None:
    """The next so many calls that put entries into the wallet are refused."""
    left = calls

    def refused(params: dict[str, Any], **_: Any) -> None:
        nonlocal left
        if left and "INSERT" in str(params["body"]):
            left -= 1
            error = {"Error": {"Code": "ProvisionedThroughputExceededException", "Message": "by the test"}}
            raise ClientError(error, "BatchExecuteStatement")

    client.meta.events.register("before-call", refused)  # the last of those hooks, when the body is made
