"""Match: the real handler on DynamoDB and SQS."""

import json

import msgspec

from rewards.crm_messages import Batch
from rewards.crm_orders import CrmOrder
from rewards.order import OrderId
from rewards.status import Status
from steps.match import handler
from tests.builders import a_line, a_promotion
from tests.rewards.crm import KEY, a_crm_order, a_crm_return
from tests.steps.conftest import Cloud

ORDER = OrderId("1", "TG20193021")
SOLD = a_crm_order(a_line("L1"), a_line("L2"))
BACK = a_crm_order(a_line("L1"), a_line("L2"), returns=[a_crm_return("L2")])


def a_batch(*orders: CrmOrder) -> str:
    return msgspec.json.encode(Batch("1", KEY, orders)).decode()


def test_orders_are_booked_and_a_repeat_changes_nothing(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    assert handler(cloud.deliver(a_batch(BACK)), cloud.context()) == {"batchItemFailures": []}
    (booked,) = cloud.ledger.rewards(ORDER)
    assert (booked.status, booked.points, booked.source) == (Status.WAIT, 50, "Others")
    order = cloud.ledger.order(ORDER)
    handler(cloud.deliver(a_batch(BACK), a_batch(BACK)), cloud.context())
    assert cloud.ledger.rewards(ORDER) == [booked]
    assert cloud.ledger.order(ORDER) == order


def test_what_is_due_at_once_goes_to_the_high_queue(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion(days=0))
    handler(cloud.deliver(a_batch(SOLD)), cloud.context())
    assert len(cloud.sent("GRANT_POINTS_HIGH_QUEUE")) == 1


def test_an_order_that_fails_goes_on_alone_and_is_parked_with_its_name(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    handler(cloud.deliver(a_batch(SOLD)), cloud.context())
    dollars = a_crm_order(returns=[a_crm_return("L2")], currency="USD")
    other = a_crm_order(a_line(), order_group="TG2")
    assert handler(cloud.deliver(a_batch(dollars, other)), cloud.context()) == {"batchItemFailures": []}
    assert cloud.ledger.order(OrderId("1", "TG2"))
    (alone,) = cloud.sent("MATCH_QUEUE")
    assert [order["order_group"] for order in alone["orders"]] == ["TG20193021"]
    handler(cloud.deliver(json.dumps(alone)), cloud.context())
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert (letter["kind"], letter["shop_id"], letter["order_group"]) == ("invalid", "1", "TG20193021")


def test_a_poison_batch_is_parked_and_the_others_are_matched(cloud: Cloud) -> None:
    cloud.promotions.put(a_promotion())
    assert handler(cloud.deliver('{"orders": 1}', a_batch(SOLD)), cloud.context()) == {"batchItemFailures": []}
    assert len(cloud.ledger.rewards(ORDER)) == 1
    assert cloud.sent("LETTERS_QUEUE")[0]["kind"] == "invalid"
