"""Grant coupons: the real handler with the built-in pool."""

from datetime import UTC, datetime

import pytest

from rewards.promotion import LoyaltyPoints
from rewards.status import Status
from steps.grant_coupon import handler
from steps.withdraw import handler as withdraw
from tests.builders import a_promotion
from tests.steps.conftest import Cloud
from tests.steps.coupons import TASK, book_coupons, the_row
from tests.steps.orders import ALL_RETURNED

UNKNOWN = TASK.replace("TG20193021", "nobody's")


@pytest.fixture
def due(cloud: Cloud) -> Cloud:
    """Two coupons are due, and there are three."""
    cloud.coupons.add_stock("1", "TEA", 3)
    book_coupons(cloud)
    return cloud


def test_what_is_due_at_once_goes_to_the_queue_of_its_type(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion(LoyaltyPoints(points=10), promotion_id="points", days=0))
    book_coupons(cloud)
    (coupon,), (points,) = cloud.sent("GRANT_COUPON_HIGH_QUEUE"), cloud.sent("GRANT_POINTS_HIGH_QUEUE")
    assert coupon["groups"][0]["promotion_id"] == "tea"
    assert points["groups"][0]["promotion_id"] == "points"


def test_coupons_are_issued_once_however_often_their_message_comes(due: Cloud) -> None:
    for _ in range(2):
        assert handler(due.deliver(TASK, TASK), due.context()) == {"batchItemFailures": []}
    row = the_row(due)
    assert (row.status, row.is_reward, row.due, row.lock) == (Status.REWARD, True, None, None)
    assert sorted(row.codes) == sorted(coupon.code for coupon in due.coupons.coupons())
    assert due.coupons.stock("1", "TEA").left == 1


def test_out_of_stock_is_no_failure_and_is_asked_for_at_the_next_restocking_hour(cloud: Cloud) -> None:
    cloud.coupons.add_stock("1", "TEA", 1)
    book_coupons(cloud)
    assert handler(cloud.deliver(TASK), cloud.context()) == {"batchItemFailures": []}
    row = the_row(cloud)
    assert (row.status, row.stock_outs, row.lock) == (Status.WAIT, 1, None)
    assert row.booking_time == datetime(2026, 11, 3, 14, tzinfo=UTC), "22:00 in Taipei"

    cloud.coupons.add_stock("1", "TEA", 1)
    handler(cloud.deliver(TASK), cloud.context())
    assert the_row(cloud).status is Status.WAIT, "too early"
    cloud.travel(row.booking_time)
    handler(cloud.deliver(TASK), cloud.context())
    assert the_row(cloud).status is Status.REWARD
    assert len(the_row(cloud).codes) == 2


def test_an_order_returned_before_its_coupons_were_issued_earns_none(due: Cloud) -> None:
    withdraw(due.deliver(ALL_RETURNED), due.context())
    handler(due.deliver(TASK), due.context())
    assert the_row(due).status is Status.CANCEL
    assert list(due.coupons.coupons()) == []


def test_a_poison_task_is_parked_and_the_rest_of_its_batch_is_granted(due: Cloud) -> None:
    assert handler(due.deliver("no json", UNKNOWN, TASK), due.context()) == {"batchItemFailures": []}
    assert the_row(due).status is Status.REWARD
    (letter,) = due.sent("LETTERS_QUEUE")
    assert (letter["kind"], letter["body"]) == ("invalid", "no json")


def test_a_pool_that_does_not_answer_brings_the_message_back_with_the_row_still_due(
    due: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COUPONS_TABLE", "gone")
    assert handler(due.deliver(TASK), due.context()) == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
    row = the_row(due)
    assert (row.status, row.attempts, row.is_locked(row.changed_at)) == (Status.WAIT, 1, False)
    assert row.due
