"""Grant messages that come again, late, or to two workers: one grant, whatever the queue does."""

import json
from datetime import timedelta

import pytest

import bootstrap
from rewards.order import OrderId
from steps.grant_points import handler as grant
from steps.recycle_points import handler as recycle
from steps.withdraw import handler as withdraw
from tests.fakes.faults import meanwhile
from tests.steps.conftest import SETTINGS, Cloud
from tests.steps.due import LEAVES_AT, MEMBER, TASK, let_it_fall_due
from tests.steps.orders import ALL_RETURNED

BODY = json.dumps(TASK)
LEASE = timedelta(seconds=int(SETTINGS["LEASE_SECONDS"]))
LATER = [timedelta(hours=2), timedelta(days=5), timedelta(days=13)]


@pytest.fixture
def due(cloud: Cloud) -> Cloud:
    let_it_fall_due(cloud)
    return cloud


def granted_once(cloud: Cloud) -> bool:
    account = cloud.wallet.account(MEMBER)
    return account.balance == 79 and len(account.entries) == 1


@pytest.mark.parametrize("later", LATER, ids=str)
def test_a_replayed_message_grants_nothing_more(due: Cloud, later: timedelta) -> None:
    grant(due.deliver(BODY), due.context())
    (row,) = due.ledger.rewards(OrderId("1", "TG20193021"))
    due.travel(LEAVES_AT + later)
    assert grant(due.deliver(BODY, BODY, attempts=2), due.context()) == {"batchItemFailures": []}
    assert due.ledger.rewards(row.id.order) == [row]
    assert granted_once(due)


@pytest.mark.parametrize("later", LATER, ids=str)
def test_a_replayed_message_grants_nothing_again_after_the_return(due: Cloud, later: timedelta) -> None:
    grant(due.deliver(BODY), due.context())
    withdraw(due.deliver(ALL_RETURNED), due.context())
    recycle(due.deliver(BODY), due.context())
    due.travel(LEAVES_AT + later)
    grant(due.deliver(BODY), due.context())
    assert due.wallet.account(MEMBER).balance == 0
    assert len(due.wallet.account(MEMBER).entries) == 2


def test_a_message_that_two_workers_have_at_once_is_granted_by_one(due: Cloud) -> None:
    """The other one comes while the first has claimed the row, and while it waits for the wallet."""
    for call in ("UpdateItem", "PutItem"):
        meanwhile(bootstrap._dynamodb(), call, lambda: grant(due.deliver(BODY), due.context()))
    grant(due.deliver(BODY), due.context())
    assert granted_once(due)


def test_a_worker_that_stalls_past_its_lease_changes_nothing_when_it_comes_back(due: Cloud) -> None:
    rows = []

    def another_takes_over() -> None:
        due.travel(LEAVES_AT + LEASE + timedelta(seconds=1))
        grant(due.deliver(BODY), due.context())
        rows.extend(due.ledger.rewards(OrderId("1", "TG20193021")))

    meanwhile(bootstrap._dynamodb(), "PutItem", another_takes_over)
    grant(due.deliver(BODY), due.context())
    assert due.ledger.rewards(OrderId("1", "TG20193021")) == rows
    assert granted_once(due)


def test_a_worker_that_stalls_before_the_call_asks_under_the_same_key(due: Cloud) -> None:
    def another_takes_over() -> None:
        due.travel(LEAVES_AT + LEASE + timedelta(seconds=1))
        grant(due.deliver(BODY), due.context())

    meanwhile(bootstrap._dynamodb(), "UpdateItem", another_takes_over)
    grant(due.deliver(BODY), due.context())
    assert granted_once(due)
