"""Withdraw: the real handler on DynamoDB and SQS."""

from rewards.order import OrderId
from rewards.status import Status
from steps.book import handler as book
from steps.withdraw import handler
from tests.builders import a_promotion
from tests.steps.conftest import Cloud
from tests.steps.orders import ALL_RETURNED, PAID, an_event

ORDER = OrderId("1", "TG20193021")


def test_a_waiting_reward_is_cancelled_and_a_repeat_changes_nothing(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    assert handler(cloud.deliver(ALL_RETURNED), cloud.context()) == {"batchItemFailures": []}
    cancelled = cloud.ledger.rewards(ORDER)
    assert [row.status for row in cancelled] == [Status.CANCEL]
    handler(cloud.deliver(ALL_RETURNED, ALL_RETURNED), cloud.context())
    assert cloud.ledger.rewards(ORDER) == cancelled


def test_a_poison_return_is_parked_and_the_others_of_its_batch_are_kept(cloud: Cloud) -> None:
    poison = an_event("OrderReturned", lines=[])
    assert handler(cloud.deliver(poison, ALL_RETURNED), cloud.context()) == {"batchItemFailures": []}
    order = cloud.ledger.order(ORDER)
    assert order
    assert list(order.returns) == ["R-all"]
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert letter["kind"] == "invalid"
    assert "lines" in letter["error"]


def test_a_failed_payment_is_acknowledged(cloud: Cloud) -> None:
    assert handler(cloud.deliver(an_event("PaymentFailed")), cloud.context()) == {"batchItemFailures": []}
    assert cloud.ledger.order(ORDER) is None
