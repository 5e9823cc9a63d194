"""A place of a quota, held from the order on, through the deployed stack: let go when it is not paid, taken again."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from adapters.quota import DynamoQuota
from ops import dispatch
from ops.demo.orders import MIDNIGHT
from ops.orders import look_up
from ops.promotions import store
from ops.stack import Stack
from rewards.order import OrderId
from rewards.promotion import Quota
from rewards.status import Status
from tests.builders import a_promotion
from tests.embedded.conftest import begin_at
from tests.embedded.test_orders_end_to_end import events_of, happen

pytestmark = pytest.mark.xdist_group("embedded")

SHOP = "of few places"
ONE_PLACE = replace(a_promotion(days=0, quota=Quota(total=1, occupy=True, unpaid_minutes=10)), shop_id=SHOP)
NINE = MIDNIGHT + timedelta(days=1, hours=9)


def placed_and_paid(order_group: str) -> tuple[dict[str, Any], dict[str, Any]]:
    (paid,) = events_of(order_group, "PaymentCompleted")
    paid["detail"] |= {"shop_id": SHOP, "occurred_at": NINE.isoformat()}
    placed = {**paid, "detail-type": "OrderPlaced", "detail": {**paid["detail"], "event_id": f"{order_group} placed"}}
    return placed, paid


def status(stack: Stack, order_group: str) -> Status:
    (only,) = look_up(OrderId(SHOP, order_group), stack).rewards
    return only.status


def taken(stack: Stack) -> int:
    return sum(DynamoQuota(stack.dynamodb, stack["QuotaTableName"]).used(ONE_PLACE).shards)


def test_a_place_is_held_until_it_is_not_paid_in_time_and_then_goes_to_the_next(stack: Stack) -> None:
    begin_at(stack, NINE)
    store([ONE_PLACE], stack)
    first, paid_too_late = placed_and_paid("FIRST")
    second, _ = placed_and_paid("SECOND")

    happen(stack, first, first)
    happen(stack, second)
    assert (status(stack, "FIRST"), status(stack, "SECOND"), taken(stack)) == (Status.OCCUPY, Status.NO_QUOTA, 1)

    dispatch.run(stack, NINE + timedelta(minutes=11))
    assert (status(stack, "FIRST"), taken(stack)) == (Status.CANCEL, 0)

    third, paid = placed_and_paid("THIRD")
    happen(stack, third)
    happen(stack, paid)
    assert (status(stack, "THIRD"), taken(stack)) == (Status.REWARD, 1)

    happen(stack, paid_too_late)
    assert (status(stack, "FIRST"), taken(stack)) == (Status.NO_QUOTA, 1)
