"""What a step does seldom: orders told the wrong way round, coupons where points are usual, lists instead of groups."""

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from bootstrap.breakers import breakers
from bootstrap.clients import dynamodb
from rewards.breaker import Breaker
from rewards.order import OrderId
from rewards.promotion import Days, ECoupon, Quota
from rewards.status import Status
from steps.book import handler as book
from steps.dispatch import handler as dispatch
from steps.grant_coupon import handler as grant_coupon
from steps.grant_points import handler as grant_points
from steps.match import handler as match
from steps.occupy import handler as occupy
from steps.plan import handler as plan
from steps.rebook import handler as rebook
from steps.recycle_coupon import handler as recycle_coupon
from steps.recycle_points import handler as recycle_points
from steps.sweep import handler as sweep
from steps.withdraw import handler as withdraw
from tests.builders import ORDERED_AT, a_promotion, a_return
from tests.fakes.faults import meanwhile, refuse
from tests.rewards.crm import a_crm_order, a_crm_return
from tests.steps.conftest import Cloud
from tests.steps.orders import ALL_RETURNED, PAID, an_event
from tests.steps.test_match import SOLD, a_batch
from tests.steps.test_occupy import ID, LIMITED, PLACED

TEA = a_promotion(ECoupon("TEA", quantity=1), promotion_id="tea", days=0)
POINTS = a_promotion(days=0)
PLACES = a_promotion(days=0, quota=Quota(total=2))
HELD_TEA = a_promotion(TEA.reward, promotion_id="tea", days=0, quota=Quota(total=2))
MANY = 26
"""One more than a group that goes along in its message."""
BATCH = 25
"""Rows that are written in one call."""

HOUR = timedelta(hours=1)


def deliver_all(cloud: Cloud, queue: str) -> dict[str, object]:
    return cloud.deliver(*map(json.dumps, cloud.sent(queue)))


def statuses(cloud: Cloud, order_group: str = "TG20193021") -> set[Status]:
    return {row.status for row in cloud.ledger.rewards(OrderId("1", order_group))}


def of_many(kind: str, **detail: Any) -> list[str]:
    """The same of many orders of one member."""
    return [an_event(kind, order_group=f"TG{number}", event_id=f"{kind} {number}", **detail) for number in range(MANY)]


@pytest.fixture
def returned(cloud_of_batches: Cloud) -> Cloud:
    """A member got points and a coupon for each of many orders, and returned them all; no message of it arrived."""
    cloud = cloud_of_batches
    for promotion in (POINTS, TEA):
        cloud.promotions.put(promotion)
    cloud.coupons.add_stock("1", "TEA", MANY)
    book(cloud.deliver(*of_many("PaymentCompleted")), cloud.context())
    grant_points(deliver_all(cloud, "GRANT_POINTS_HIGH_QUEUE"), cloud.context())
    grant_coupon(deliver_all(cloud, "GRANT_COUPON_HIGH_QUEUE"), cloud.context())
    withdraw(cloud.deliver(*of_many("OrderReturned", return_id="R", lines="all")), cloud.context())
    for queue in ("RECYCLE_POINTS_QUEUE", "RECYCLE_COUPON_QUEUE"):
        cloud.sent(queue)
    cloud.travel(ORDERED_AT + 2 * HOUR)
    return cloud


def recycle_all(cloud: Cloud) -> int:
    """Rewards that were taken back for the tasks that wait; both queues held lists."""
    tasks = {queue: cloud.sent(queue) for queue in ("RECYCLE_POINTS_QUEUE", "RECYCLE_COUPON_QUEUE")}
    assert all(any("list_key" in task for task in waiting) for waiting in tasks.values())
    for handler, waiting in zip((recycle_points, recycle_coupon), tasks.values(), strict=True):
        assert handler(cloud.deliver(*map(json.dumps, waiting)), cloud.context()) == {"batchItemFailures": []}
    rows = [row for number in range(MANY) for row in cloud.ledger.rewards(OrderId("1", f"TG{number}"))]
    return sum(row.is_recycle for row in rows)


def test_what_a_member_returned_of_many_orders_is_dispatched_as_lists(returned: Cloud) -> None:
    plan({"kind": "recycle", "execute_time": (ORDERED_AT + 2 * HOUR).isoformat()}, returned.context())
    returned.travel(ORDERED_AT + 3 * HOUR)
    dispatch(deliver_all(returned, "DISPATCH_QUEUE"), returned.context())
    assert recycle_all(returned) == 2 * MANY


def test_what_a_member_returned_of_many_orders_is_swept_as_lists(returned: Cloud) -> None:
    sweep({}, returned.context())
    assert recycle_all(returned) == 2 * MANY


def test_an_order_that_came_back_before_it_was_told_of_holds_no_place_for_what_came_back(cloud: Cloud) -> None:
    cloud.promotions.put(LIMITED)
    back = an_event("OrderReturned", return_id="R1", lines=[{"line": "TS1", "quantity": 1}])
    withdraw(cloud.deliver(back), cloud.context())
    occupy(cloud.deliver(PLACED), cloud.context())
    row = cloud.ledger.reward(ID)
    assert row
    assert (row.status, row.points < 79) == (Status.OCCUPY, True)


def test_a_coupon_that_is_due_by_its_shipping_already_goes_to_the_high_queue(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion(ECoupon("TEA", quantity=1), promotion_id="tea", timing=Days(0, "shipped")))
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(ORDERED_AT + timedelta(days=10))
    rebook(cloud.deliver(an_event("OrderShipped")), cloud.context())
    assert len(cloud.sent("GRANT_COUPON_HIGH_QUEUE")) == 1


def test_an_offline_order_takes_its_place_and_has_its_coupon_at_once(cloud: Cloud) -> None:
    for promotion in (PLACES, TEA):
        cloud.promotions.put(promotion)
    match(cloud.deliver(a_batch(SOLD)), cloud.context())
    assert sum(cloud.quota.used(PLACES).shards) == 1
    assert len(cloud.sent("GRANT_COUPON_HIGH_QUEUE")) == 1


def test_what_a_file_tells_of_an_online_order_that_came_back_is_taken_back_at_once(cloud: Cloud) -> None:
    for promotion in (POINTS, TEA):
        cloud.promotions.put(promotion)
    cloud.coupons.add_stock("1", "TEA", 1)
    book(cloud.deliver(PAID), cloud.context())
    grant_points(deliver_all(cloud, "GRANT_POINTS_HIGH_QUEUE"), cloud.context())
    grant_coupon(deliver_all(cloud, "GRANT_COUPON_HIGH_QUEUE"), cloud.context())
    back = [a_crm_return(line, quantity=quantity) for line, quantity in (("TS1", 2), ("TS2", 1))]
    match(cloud.deliver(a_batch(a_crm_order(returns=back, source="ECom"))), cloud.context())
    assert len(cloud.sent("RECYCLE_POINTS_QUEUE")) == 1
    assert len(cloud.sent("RECYCLE_COUPON_QUEUE")) == 1


def due_at_once(cloud: Cloud) -> list[Any]:
    """Points and a coupon, each of a quota, and the steps that grant them with their messages."""
    cloud.coupons.add_stock("1", "TEA", 1)
    for promotion in (PLACES, HELD_TEA):
        cloud.promotions.put(promotion)
    book(cloud.deliver(PAID), cloud.context())
    return [
        (grant_points, deliver_all(cloud, "GRANT_POINTS_HIGH_QUEUE")),
        (grant_coupon, deliver_all(cloud, "GRANT_COUPON_HIGH_QUEUE")),
    ]


def test_a_return_that_a_worker_was_to_see_to_is_seen_to_by_the_next_and_the_place_is_free(cloud: Cloud) -> None:
    granted_by = due_at_once(cloud)
    order = cloud.ledger.order(ID.order)
    assert order
    kept = replace(order, returns={"R1": a_return()}, version=order.version + 1)
    assert cloud.ledger.write_order(order, kept)
    for row in cloud.ledger.rewards(ID.order):
        assert cloud.ledger.write_reward(row, row.with_lock(None, return_pending=True))
    for handler, event in granted_by:
        assert handler(event, cloud.context()) == {"batchItemFailures": []}
    assert statuses(cloud) == {Status.CANCEL}
    assert sum(cloud.quota.used(PLACES).shards) == sum(cloud.quota.used(HELD_TEA).shards) == 0


@pytest.mark.parametrize(
    ("place", "given_by", "queue"),
    [(0, "PutItem", "RECYCLE_POINTS_QUEUE"), (1, "TransactWriteItems", "RECYCLE_COUPON_QUEUE")],
)
def test_what_comes_back_during_its_grant_is_sent_to_be_taken_back(
    cloud: Cloud, place: int, given_by: str, queue: str
) -> None:
    handler, event = due_at_once(cloud)[place]
    returned = partial(withdraw, cloud.deliver(ALL_RETURNED), cloud.context())
    meanwhile(dynamodb(), given_by, returned)
    handler(event, cloud.context())
    assert len(cloud.sent(queue)) == 1


def test_coupons_that_a_member_is_due_for_many_orders_are_swept_as_a_list_and_what_fails_goes_on_alone(
    cloud_of_batches: Cloud,
) -> None:
    cloud = cloud_of_batches
    cloud.promotions.put(a_promotion(TEA.reward, promotion_id="tea", days=1))
    cloud.coupons.add_stock("1", "TEA", MANY)
    cloud.travel(ORDERED_AT + timedelta(days=3))
    book(cloud.deliver(*of_many("PaymentCompleted")), cloud.context())
    cloud.travel(ORDERED_AT + timedelta(days=3) + 2 * HOUR)
    sweep({}, cloud.context())
    (task,) = cloud.sent("GRANT_COUPON_LOW_QUEUE")
    assert "list_key" in task
    refuse(dynamodb(), "BatchExecuteStatement", "ThrottlingException")
    assert grant_coupon(cloud.deliver(json.dumps(task)), cloud.context()) == {"batchItemFailures": []}
    assert len(cloud.sent("GRANT_COUPON_LOW_QUEUE")) == BATCH
    granted = [row.status for number in range(MANY) for row in cloud.ledger.rewards(OrderId("1", f"TG{number}"))]
    assert granted.count(Status.REWARD) == MANY - BATCH


def test_a_pool_that_does_not_answer_when_coupons_are_taken_back_is_told_of_at_once(returned: Cloud) -> None:
    sweep({}, returned.context())
    refuse(dynamodb(), "TransactWriteItems", "InternalServerError", times=MANY)
    recycle_coupon(deliver_all(returned, "RECYCLE_COUPON_QUEUE"), returned.context())
    assert breakers().breaker("coupons") != Breaker()


def test_a_task_that_fails_goes_on_reward_by_reward_in_messages_of_their_own(returned: Cloud) -> None:
    sweep({}, returned.context())
    for queue, handler in (("RECYCLE_POINTS_QUEUE", recycle_points), ("RECYCLE_COUPON_QUEUE", recycle_coupon)):
        event = deliver_all(returned, queue)
        refuse(dynamodb(), "BatchExecuteStatement", "ThrottlingException")
        assert handler(event, returned.context()) == {"batchItemFailures": []}
        assert len(returned.sent(queue)) == BATCH
