"""Recycle points: the real handler with the built-in wallet."""

from datetime import timedelta

import pytest

from rewards.order import OrderId
from rewards.provider import Member
from steps.book import handler as book
from steps.grant_points import handler as grant
from steps.recycle_points import handler
from steps.withdraw import handler as withdraw
from tests.builders import ORDERED_AT, a_promotion
from tests.fakes.points import grant_one
from tests.steps.conftest import Cloud
from tests.steps.orders import ALL_RETURNED, PAID, an_event
from tests.steps.test_grant_points import TASK

ORDER = OrderId("1", "TG20193021")
MEMBER = Member("1", "0012345")


@pytest.fixture
def returned(cloud: Cloud) -> Cloud:
    """79 points were granted, and everything came back."""
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(ORDERED_AT + timedelta(days=8))
    grant(cloud.deliver(TASK), cloud.context())
    assert cloud.wallet.account(MEMBER).balance == 79
    withdraw(cloud.deliver(ALL_RETURNED), cloud.context())
    return cloud


def test_what_came_back_is_taken_back_once_however_often_its_message_comes(returned: Cloud) -> None:
    assert len(returned.sent("RECYCLE_POINTS_QUEUE")) == 1
    for _ in range(2):
        assert handler(returned.deliver(TASK, TASK), returned.context()) == {"batchItemFailures": []}
    (row,) = returned.ledger.rewards(ORDER)
    assert (row.recycle_points, row.is_recycle, row.due) == (79, True, None)
    assert returned.wallet.account(MEMBER).balance == 0


def test_after_a_merge_the_account_that_the_return_names_is_asked_whoever_retries(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(ORDERED_AT + timedelta(days=8))
    grant(cloud.deliver(TASK), cloud.context())
    merged = Member("1", "M-merged")
    grant_one(cloud.wallet, "what the shop moved", merged, 79)
    withdraw(cloud.deliver(an_event("OrderReturned", lines="all", member_id="M-merged")), cloud.context())
    for _ in range(2):
        handler(cloud.deliver(TASK), cloud.context())
    assert (cloud.wallet.balance(merged), cloud.wallet.balance(MEMBER)) == (0, 79)
    (row,) = cloud.ledger.rewards(ORDER)
    assert row.update_reason == "recycled from M-merged, whom the return names"


def test_a_poison_task_is_parked_and_the_rest_of_its_batch_is_taken_back(returned: Cloud) -> None:
    assert handler(returned.deliver('{"groups": 1}', TASK), returned.context()) == {"batchItemFailures": []}
    assert returned.wallet.account(MEMBER).balance == 0
    (letter,) = returned.sent("LETTERS_QUEUE")
    assert letter["kind"] == "invalid"
