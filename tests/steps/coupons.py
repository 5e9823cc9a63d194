"""A coupon of order TG20193021, due as soon as it is paid."""

from rewards.order import OrderId
from rewards.promotion import ECoupon
from rewards.reward import Reward
from steps.book import handler as book
from tests.builders import a_promotion
from tests.steps.conftest import Cloud
from tests.steps.orders import PAID

ORDER = OrderId("1", "TG20193021")
TASK = '{"groups":[{"shop_id":"1","member_id":"0012345","promotion_id":"tea","orders":["TG20193021"]}]}'


def book_coupons(cloud: Cloud, quantity: int = 2, **fields: int) -> None:
    cloud.promotions.put(a_promotion(ECoupon("TEA", quantity=quantity), promotion_id="tea", **{"days": 0} | fields))
    book(cloud.deliver(PAID), cloud.context())


def the_row(cloud: Cloud) -> Reward:
    (row,) = (row for row in cloud.ledger.rewards(ORDER) if row.id.promotion_id == "tea")
    return row
