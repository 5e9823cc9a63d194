"""Any number of orders that are placed, paid and sent back, and what each should leave with its member.

That follows from an order's story alone, in whatever order its events are worked off: so at the end every order can be
asked for, whatever was killed meanwhile.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec.structs import replace

from ops.demo.day import Event
from ops.demo.orders import MIDNIGHT
from rewards.promotion import ECoupon, LoyaltyPoints, Promotion, Quota
from tests.builders import a_promotion

SHOP = "under load"
MEMBERS = 500
ORDERED_AT = MIDNIGHT + timedelta(hours=9)
BACK_AT = ORDERED_AT + timedelta(days=8)


class Story(NamedTuple):
    """An order of a mug and of something else: which lines come back, and the points and coupons that stay."""

    other: str = "POT"
    is_paid: bool = True
    is_told_twice: bool = False
    back_early: tuple[str, ...] = ()
    back_later: tuple[str, ...] = ()
    points: int = 100
    coupons: int = 0


STORIES = (
    Story(),
    Story(is_told_twice=True),
    Story(back_early=("MUG",), points=75),
    Story(back_early=("all",), points=0),
    Story(),
    Story(back_later=("MUG",), points=75),
    Story(back_later=("MUG", "POT"), points=0),
    Story(back_later=("all",), is_told_twice=True, points=0),
    Story("BOOK", coupons=2),
    Story("BOOK", back_later=("all",), points=0),
    Story("SET"),
    Story("SET", is_paid=False, points=0),
)

NOW, LATER, SETS, BOOKS = "now", "later", "sets", "books"


def promotions(places: int) -> list[Promotion]:
    """50 points at once, 5 % a week later, 2 coupons for a book; and 300 points for so many sets, which is a race."""
    quota = Quota(total=places, occupy=True, unpaid_minutes=30)
    each = (
        a_promotion(LoyaltyPoints(points=50), promotion_id=NOW, days=0),
        a_promotion(promotion_id=LATER, days=7),
        a_promotion(ECoupon(BOOKS, quantity=2), promotion_id=BOOKS, days=0, skus=("BOOK",)),
        a_promotion(LoyaltyPoints(points=300), promotion_id=SETS, days=1, skus=("SET",), quota=quota),
    )
    return [replace(promotion, shop_id=SHOP) for promotion in each]


class LoadedOrder(NamedTuple):
    number: int

    @property
    def story(self) -> Story:
        return STORIES[self.number % len(STORIES)]

    @property
    def order_group(self) -> str:
        return f"LOAD{self.number:06}"

    def first_events(self) -> Iterator[Event]:
        """It is placed, paid, and what comes back before the week is over does so: in the end in any order."""
        lines = [{"line": sku, "sku": sku, "quantity": 1, "amount": "500.00"} for sku in ("MUG", self.story.other)]
        order = {
            "member_id": f"M{self.number % MEMBERS}",
            "source": "ECom",
            "ordered_at": ORDERED_AT.isoformat(),
            "currency": "TWD",
            "lines": lines,
        }
        yield self._event("OrderPlaced", "placed", ORDERED_AT, order=order)
        if self.story.is_paid:
            yield from self._told(self._event("PaymentCompleted", "paid", ORDERED_AT, order=order))
        yield from self._returns(self.story.back_early, ORDERED_AT + timedelta(minutes=30))

    def last_events(self) -> Iterator[Event]:
        """What comes back after the grant."""
        return self._returns(self.story.back_later, BACK_AT)

    def _returns(self, back: tuple[str, ...], at: datetime) -> Iterator[Event]:
        for sku in back:
            lines: object = "all" if sku == "all" else [{"line": sku, "quantity": 1}]
            yield from self._told(self._event("OrderReturned", f"back-{sku}", at, return_id=f"R-{sku}", lines=lines))

    def _told(self, event: Event) -> list[Event]:
        return [event] * (1 + self.story.is_told_twice)

    def _event(self, kind: str, name: str, at: datetime, /, **more: object) -> Event:
        known: dict[str, Any] = {
            "event_id": f"{self.order_group}-{name}",
            "occurred_at": at.isoformat(),
            "shop_id": SHOP,
            "order_group": self.order_group,
        }
        return {"detail-type": kind, "detail": known | more}
