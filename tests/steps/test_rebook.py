"""Rebook: the real handler on DynamoDB and SQS."""

from datetime import UTC, datetime, timedelta

from rewards.order import OrderId
from rewards.promotion import Days
from rewards.provider import Member
from rewards.status import Status
from steps.book import handler as book
from steps.grant_points import handler as grant
from steps.rebook import handler
from tests.builders import ORDERED_AT, a_promotion
from tests.steps.conftest import Cloud
from tests.steps.orders import PAID, an_event
from tests.steps.test_grant_points import TASK

ORDER = OrderId("1", "TG20193021")
SHIPPED = an_event("OrderShipped")
SHIPPED_AT = datetime(2026, 11, 5, 0, 30, tzinfo=UTC)
WAITS = a_promotion(timing=Days(7, "shipped"))
BY_SHIPPING = datetime(2026, 11, 11, 18, tzinfo=UTC)  # 12 November in Taipei, in bucket 2


def test_a_shipped_order_is_booked_by_its_shipping_and_a_repeat_changes_nothing(cloud: Cloud) -> None:
    cloud.promotions.put(WAITS)
    book(cloud.deliver(PAID), cloud.context())
    assert handler(cloud.deliver(SHIPPED), cloud.context()) == {"batchItemFailures": []}
    (row,) = cloud.ledger.rewards(ORDER)
    assert (row.status, row.booking_time, row.update_reason) == (Status.WAIT, BY_SHIPPING, "shipped")
    assert row.due
    handler(cloud.deliver(SHIPPED, SHIPPED), cloud.context())
    assert cloud.ledger.rewards(ORDER) == [row]
    assert cloud.sent("GRANT_POINTS_HIGH_QUEUE") == []


def test_an_order_shipped_before_it_is_paid_is_booked_by_its_shipping(cloud: Cloud) -> None:
    cloud.promotions.put(WAITS)
    handler(cloud.deliver(SHIPPED), cloud.context())
    book(cloud.deliver(PAID), cloud.context())
    order = cloud.ledger.order(ORDER)
    assert order
    assert order.shipped_at == SHIPPED_AT
    (row,) = cloud.ledger.rewards(ORDER)
    assert row.booking_time == BY_SHIPPING


def test_a_task_of_the_time_before_shipping_grants_nothing(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion(timing=Days(7, "shipped", before_shipping="ordered")))
    book(cloud.deliver(PAID), cloud.context())
    handler(cloud.deliver(SHIPPED), cloud.context())
    cloud.travel(ORDERED_AT + timedelta(days=8))
    grant(cloud.deliver(TASK), cloud.context())
    assert cloud.wallet.account(Member("1", "0012345")).balance == 0
    cloud.travel(BY_SHIPPING)
    grant(cloud.deliver(TASK), cloud.context())
    assert cloud.wallet.account(Member("1", "0012345")).balance == 79


def test_what_is_due_by_its_shipping_already_goes_to_the_high_queue(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion(timing=Days(0, "shipped")))
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(SHIPPED_AT + timedelta(minutes=1))
    handler(cloud.deliver(SHIPPED), cloud.context())
    (task,) = cloud.sent("GRANT_POINTS_HIGH_QUEUE")
    assert task["groups"][0]["orders"] == ["TG20193021"]


def test_a_poison_event_is_parked_and_the_rest_of_its_batch_is_kept(cloud: Cloud) -> None:
    poison = an_event("OrderShipped", shipped_at="yesterday")
    assert handler(cloud.deliver(poison, SHIPPED), cloud.context()) == {"batchItemFailures": []}
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert "shipped_at: 'yesterday' is not a time with an offset" in letter["error"]
    order = cloud.ledger.order(ORDER)
    assert order
    assert order.shipped_at == SHIPPED_AT
