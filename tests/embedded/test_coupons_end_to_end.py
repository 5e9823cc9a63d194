"""From a paid order to coupons of the pool and back, through the deployed stack."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from adapters.coupon_pool import DynamoCouponPool
from ops import dispatch
from ops.demo.orders import MIDNIGHT
from ops.orders import look_up
from ops.promotions import store
from ops.stack import Stack
from rewards.order import OrderId
from rewards.promotion import ECoupon
from rewards.reward import Reward
from rewards.status import Status
from tests.builders import a_promotion
from tests.embedded.conftest import begin_at
from tests.embedded.test_orders_end_to_end import events_of, happen

pytestmark = pytest.mark.xdist_group("embedded")

SHOP = "of coupons"
TEA = replace(a_promotion(ECoupon("TEA", quantity=2), promotion_id="tea", days=0), shop_id=SHOP)
NINE, ELEVEN = MIDNIGHT + timedelta(days=1, hours=9), MIDNIGHT + timedelta(days=1, hours=11, minutes=1)


def reward(stack: Stack) -> Reward:
    (only,) = look_up(OrderId(SHOP, "COUPONS"), stack).rewards
    return only


def test_coupons_come_when_there_is_stock_and_go_back_as_far_as_they_are_not_used(stack: Stack) -> None:
    pool = DynamoCouponPool(stack.dynamodb, stack["CouponsTableName"])
    paid, returned = events_of("COUPONS", "PaymentCompleted", "OrderReturned")
    for event in (paid, returned):
        event["detail"]["shop_id"] = SHOP
    returned["detail"]["lines"] = "all"
    begin_at(stack, NINE)
    store([TEA], stack)
    pool.add_stock(SHOP, "TEA", 1)

    happen(stack, paid)
    assert (reward(stack).status, reward(stack).stock_outs) == (Status.WAIT, 1)

    pool.add_stock(SHOP, "TEA", 1)
    dispatch.run(stack, ELEVEN)
    assert (reward(stack).status, len(reward(stack).codes)) == (Status.REWARD, 2)

    pool.use(SHOP, reward(stack).codes[0])
    happen(stack, returned)
    assert (reward(stack).recycle_points, reward(stack).shortfall, reward(stack).due) == (1, 1, None)
    assert sorted(coupon.state for coupon in pool.coupons()) == ["revoked", "used"]
