"""Book: the real handler on DynamoDB and SQS."""

from rewards.order import OrderId
from rewards.status import Status
from steps.book import handler
from tests.builders import a_promotion
from tests.steps.conftest import Cloud
from tests.steps.orders import PAID, POISON

ORDER = OrderId("1", "TG20193021")


def test_a_paid_order_is_booked(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    assert handler(cloud.deliver(PAID), cloud.context()) == {"batchItemFailures": []}
    (reward,) = cloud.ledger.rewards(ORDER)
    assert (reward.status, reward.points, reward.member_id) == (Status.WAIT, 79, "0012345")
    assert cloud.sent("GRANT_POINTS_HIGH_QUEUE") == []


def test_booking_it_twice_changes_nothing(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    handler(cloud.deliver(PAID), cloud.context())
    booked = cloud.ledger.order(ORDER), cloud.ledger.rewards(ORDER)
    handler(cloud.deliver(PAID, PAID), cloud.context())
    assert (cloud.ledger.order(ORDER), cloud.ledger.rewards(ORDER)) == booked


def test_what_is_due_at_once_goes_to_the_high_queue(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion(days=0))
    handler(cloud.deliver(PAID), cloud.context())
    (task,) = cloud.sent("GRANT_POINTS_HIGH_QUEUE")
    assert task["groups"] == [
        {"shop_id": "1", "member_id": "0012345", "promotion_id": "28343", "orders": ["TG20193021"]}
    ]


def test_a_poison_event_is_parked_and_the_rest_of_its_batch_is_booked(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    assert handler(cloud.deliver(POISON, PAID), cloud.context()) == {"batchItemFailures": []}
    assert len(cloud.ledger.rewards(ORDER)) == 1
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert letter["kind"] == "invalid"
    assert letter["body"] == POISON
    assert "occurred_at: is missing" in letter["error"]
