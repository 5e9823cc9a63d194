"""Occupy: the real handler on DynamoDB and SQS."""

from datetime import timedelta

import boto3

from rewards.order import OrderId
from rewards.promotion import Quota
from rewards.reward import RewardId
from rewards.status import Status
from steps.book import handler as book
from steps.occupy import handler
from steps.withdraw import handler as withdraw
from tests.builders import ORDERED_AT, a_promotion
from tests.steps.conftest import Cloud
from tests.steps.orders import PAID, an_event

ORDER = OrderId("1", "TG20193021")
ID = RewardId(*ORDER, "28343")
PLACED = an_event("OrderPlaced", occurred_at="2026-11-03T12:00:00+08:00")
TIMER = {
    "groups": [{"shop_id": "1", "member_id": "0012345", "promotion_id": "28343", "orders": ["TG20193021"]}],
    "v": 1,
}
LIMITED = a_promotion(quota=Quota(total=2, per_member=1, occupy=True, unpaid_minutes=10))


def used(cloud: Cloud) -> tuple[int, int]:
    """Places taken in all, and by the member."""
    shards, member = cloud.quota.used(LIMITED, "0012345")
    return sum(shards), member


def test_a_placed_order_takes_its_place_and_starts_its_timer(cloud: Cloud) -> None:
    cloud.promotions.put(LIMITED)
    assert handler(cloud.deliver(PLACED), cloud.context()) == {"batchItemFailures": []}
    row = cloud.ledger.reward(ID)
    assert row
    assert (row.status, row.points) == (Status.OCCUPY, 79)
    assert row.unpaid_until == ORDERED_AT + timedelta(minutes=10)
    assert used(cloud) == (1, 1)
    delayed = boto3.client("sqs").get_queue_attributes(
        QueueUrl=boto3.client("sqs").get_queue_url(QueueName="TIMERS_QUEUE")["QueueUrl"],
        AttributeNames=["ApproximateNumberOfMessagesDelayed"],
    )
    assert delayed["Attributes"]["ApproximateNumberOfMessagesDelayed"] == "1"
    cloud.travel(ORDERED_AT + timedelta(minutes=10))
    assert cloud.sent("TIMERS_QUEUE") == [TIMER]


def test_the_same_event_twice_takes_one_place(cloud: Cloud) -> None:
    cloud.promotions.put(LIMITED)
    handler(cloud.deliver(PLACED, PLACED), cloud.context())
    handler(cloud.deliver(PLACED), cloud.context())
    assert used(cloud) == (1, 1)


def test_the_payment_keeps_the_place_and_a_cancellation_gives_it_back_once(cloud: Cloud) -> None:
    cloud.promotions.put(LIMITED)
    handler(cloud.deliver(PLACED), cloud.context())
    book(cloud.deliver(PAID, PAID), cloud.context())
    assert used(cloud) == (1, 1)
    back = an_event("OrderCancelled", return_id="C1", lines="all")
    withdraw(cloud.deliver(back, back), cloud.context())
    assert used(cloud) == (0, 0)


def test_a_failed_payment_gives_the_place_back_once(cloud: Cloud) -> None:
    cloud.promotions.put(LIMITED)
    handler(cloud.deliver(PLACED), cloud.context())
    failed = an_event("PaymentFailed")
    assert withdraw(cloud.deliver(failed, failed), cloud.context()) == {"batchItemFailures": []}
    assert used(cloud) == (0, 0)


def test_the_last_places_go_to_those_who_come_first(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion(quota=Quota(total=2, occupy=True)))
    events = [an_event("OrderPlaced", order_group=f"TG{number}", event_id=f"E{number}") for number in range(5)]
    handler(cloud.deliver(*events), cloud.context())
    rows = [cloud.ledger.reward(RewardId("1", f"TG{number}", "28343")) for number in range(5)]
    assert [row and row.status for row in rows] == [Status.OCCUPY] * 2 + [Status.NO_QUOTA] * 3


def test_one_that_can_never_be_right_is_parked(cloud: Cloud) -> None:
    event = cloud.deliver(an_event("OrderPlaced", occurred_at="yesterday"))
    assert handler(event, cloud.context()) == {"batchItemFailures": []}
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert "occurred_at: 'yesterday' is not a time with an offset" in letter["error"]
