"""The reward of order TG20193021: it falls into bucket 2, so it waits for 02:00 of 10 November in Taipei."""

from datetime import UTC, datetime

from rewards.provider import Member
from steps.book import handler as book
from tests.builders import a_promotion
from tests.steps.conftest import Cloud
from tests.steps.orders import PAID, an_event

MEMBER = Member("1", "0012345")
LEAVES_AT = datetime(2026, 11, 9, 19, 1, tzinfo=UTC)
RUN = {"kind": "reward", "execute_time": "2026-11-09T19:01:00Z"}
GROUP = {"shop_id": "1", "member_id": "0012345", "promotion_id": "28343", "orders": ["TG20193021"]}
TASK = {"keys": ["2026-11-09T18:00Z#1#0012345#28343#2026-11-03T04:00:00.000000Z#TG20193021"], "v": 1}
"""What the dispatcher and the sweep send for it."""


def let_it_fall_due(cloud: Cloud) -> None:
    """Book it, and let the minute come at which it is to leave."""
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(LEAVES_AT)


def book_others(cloud: Cloud, orders: int) -> None:
    """Book orders of the same member, now; what is late already falls due within this hour."""
    events = [
        an_event("PaymentCompleted", order_group=f"TG{number}", event_id=f"E{number}") for number in range(orders)
    ]
    book(cloud.deliver(*events), cloud.context())
