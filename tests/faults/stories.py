"""Stories: what happens to an order, from the first event to the last return.

A chapter is a time, and what happens then, one thing after the other; between two chapters everything comes to rest.
So what may be granted stands in another chapter than what returns it: which comes first must not depend on a fault.
"""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from rewards.promotion import Days, ECoupon, LoyaltyPoints, Promotion, Quota, Tier
from rewards.provider import Member
from tests.builders import ORDERED_AT, a_promotion, tiers
from tests.faults.providers import Provider
from tests.faults.resources import bucket_name
from tests.faults.stack import Stack
from tests.rewards.crm import a_file, a_row
from tests.steps.orders import POISON, an_event

SHOP = "1"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
Happening = Callable[[Stack], object]


class Chapter(NamedTuple):
    after: timedelta
    happenings: tuple[Happening, ...] = ()


class Story(NamedTuple):
    """How each reward `ends`: its status, points, points taken back, and shortfall.

    `known` chapters come first, and nothing goes wrong in them.
    """

    promotions: tuple[Promotion, ...]
    chapters: tuple[Chapter, ...]
    ends: dict[str, tuple[str, int, int, int]]
    known: tuple[Chapter, ...] = ()
    provider: Provider = "wallet"

    def begin(self, stack: Stack) -> None:
        stack.begin(*self.promotions, provider=self.provider)
        for chapter in self.known:
            live(chapter, stack)

    def go_on(self, stack: Stack) -> None:
        for chapter in self.chapters:
            live(chapter, stack)


def live(chapter: Chapter, stack: Stack) -> None:
    stack.travel(ORDERED_AT + chapter.after)
    stack.work()
    for happen in chapter.happenings:
        happen(stack)
        stack.work()
    stack.rest()


def told(kind: str, **detail: object) -> Happening:
    return lambda stack: stack.tell(an_event(kind, **detail))


def at_once(*happenings: Happening) -> Happening:
    return lambda stack: [happen(stack) for happen in happenings]


def told_wrong(stack: Stack) -> None:
    stack.tell(POISON)


def returned(return_id: str, *lines: str) -> Happening:
    """One piece of each of these lines came back; of none, the whole order."""
    pieces = [{"line": line, "quantity": 1} for line in lines] or "all"
    return told("OrderReturned", event_id=return_id, return_id=return_id, lines=pieces)


def stocked(coupons: int) -> Happening:
    return lambda stack: stack.coupons.add_stock(SHOP, "TEA", coupons)


def used_one(stack: Stack) -> None:
    code = min(coupon.code for coupon in stack.coupons.coupons())
    assert stack.coupons.use(SHOP, code)


def put(name: str, *rows: str) -> Happening:
    """A shop's till puts its file where it belongs."""
    key = f"crm/{SHOP}/2026-11-{name}"
    return lambda stack: stack.s3.put_object(Bucket=bucket_name("IMPORT_BUCKET"), Key=key, Body=a_file(*rows))


def has(member_id: str, points: int) -> Happening:
    """So many points, and no others, are with the member at this time, whatever went wrong before."""

    def has(stack: Stack) -> None:
        assert stack.points.balance(Member(SHOP, member_id)) == points

    return has


PLACED = told("OrderPlaced", occurred_at="2026-11-03T12:00:00+08:00")
PAID = told("PaymentCompleted")
FAILED = told("PaymentFailed")
SHIPPED, SHIPPED_AGAIN = told("OrderShipped"), told("OrderShipped", shipped_at="2026-11-06T08:30:00+08:00")

AT_ONCE = a_promotion(LoyaltyPoints(points=70), promotion_id="at once", days=0)
TOMORROW = a_promotion(tiers((500, 10), (1000, "0.05")), promotion_id="tomorrow", days=1)
COUPONS = a_promotion(
    ECoupon("TEA", tiers=tuple(Tier(Decimal(500 * count), quantity=count) for count in (1, 2, 3))),
    promotion_id="coupons",
    days=0,
)
HELD = a_promotion(promotion_id="held", days=1, quota=Quota(total=1, per_member=1, occupy=True, unpaid_minutes=20))
SENT = a_promotion(promotion_id="sent", timing=Days(1, "shipped"))
SOON = a_promotion(tiers((500, 10), (1000, "0.05")), promotion_id="soon", days=2)
SOLD = (
    a_row("T1", "L1"),
    a_row("T1", "L2"),
    a_row("T2", quantity="2²"),
    a_row("T3", member_id="0"),
    a_row("T4", "L1", status="returned", member_id="M4"),
)
BACK = (
    *SOLD[:2],
    a_row("T1", "L2", status="returned", ordered_at="2026-11-04T18:00:00+08:00"),
    a_row("TG20193021", "TS1", status="returned", source="ECom", sku="SHOE-42", quantity=3, member_id="0012345"),
)
LATE = (a_row("T4", "L1", member_id="M4"), a_row("T4", "L2", member_id="M4"))
MANY = [told("PaymentCompleted", order_group=f"TG{number}", event_id=f"paid {number}") for number in range(26)]

STORIES = {
    "points": Story(
        (AT_ONCE, TOMORROW),
        (
            Chapter(HOUR, (at_once(PAID, told_wrong), PAID)),
            Chapter(2 * DAY),
            Chapter(3 * DAY, (returned("R1", "TS1"),)),
            Chapter(4 * DAY, (returned("R2", "TS1", "TS2"), returned("R2", "TS1", "TS2"), returned("R3"))),
        ),
        ends={"TG20193021 at once": ("Reward", 70, 70, 0), "TG20193021 tomorrow": ("Reward", 79, 79, 0)},
    ),
    "returned before it is granted": Story(
        (AT_ONCE, TOMORROW),
        (
            Chapter(HOUR, (at_once(returned("R1", "TS2"), PAID, returned("R2", "TS1")),)),
            Chapter(5 * HOUR, (returned("R3", "TS1"),)),
            Chapter(2 * DAY, (returned("R4"),)),
        ),
        ends={"TG20193021 at once": ("Reward", 70, 70, 0), "TG20193021 tomorrow": ("Cancel", 0, 0, 0)},
    ),
    "coupons": Story(
        (COUPONS,),
        (
            Chapter(HOUR, (stocked(2), PAID)),
            Chapter(5 * HOUR, (stocked(2),)),
            Chapter(12 * HOUR),
            Chapter(13 * HOUR, (used_one,)),
            Chapter(DAY, (returned("R1", "TS2"),)),
            Chapter(2 * DAY, (returned("R2"),)),
        ),
        ends={"TG20193021 coupons": ("Reward", 3, 2, 1)},
    ),
    "quota": Story(
        (HELD,),
        (
            Chapter(MINUTE, (PLACED,)),
            Chapter(5 * MINUTE, (told("OrderPlaced", order_group="RIVAL", event_id="rival"),)),
            Chapter(9 * MINUTE, (at_once(PLACED, PAID), FAILED)),
            Chapter(2 * DAY),
            Chapter(3 * DAY, (returned("R1"),)),
        ),
        ends={"TG20193021 held": ("Reward", 79, 79, 0), "RIVAL held": ("MatchWithoutQuota", 0, 0, 0)},
    ),
    "not paid in time": Story(
        (HELD,),
        (
            Chapter(MINUTE, (PLACED,)),
            Chapter(25 * MINUTE),
            Chapter(HOUR, (PAID,)),
            Chapter(5 * HOUR, (returned("R1"),)),
        ),
        ends={"TG20193021 held": ("Cancel", 0, 0, 0)},
    ),
    "shipped": Story(
        (SENT,),
        (
            Chapter(HOUR, (PAID,)),
            Chapter(2 * DAY, (at_once(SHIPPED_AGAIN, SHIPPED), returned("R1", "TS2"))),
            Chapter(4 * DAY),
            Chapter(5 * DAY, (returned("R2"),)),
        ),
        ends={"TG20193021 sent": ("Reward", 50, 50, 0)},
    ),
    "a till's files": Story(
        (AT_ONCE, SOON),
        (
            Chapter(HOUR, (PAID, put("03/till.csv", *SOLD))),
            Chapter(18 * HOUR + 30 * MINUTE),
            Chapter(40 * HOUR),
            Chapter(
                41 * HOUR + 30 * MINUTE,
                (has("M1", 170), has("0012345", 149), put("04/till.csv", *BACK), put("02/late.csv", *LATE)),
            ),
            Chapter(42 * HOUR + 30 * MINUTE),
            Chapter(46 * HOUR + 20 * MINUTE, (has("M1", 170),)),
            Chapter(47 * HOUR),
        ),
        ends={
            "T1 at once": ("Reward", 70, 0, 0),
            "T1 soon": ("Reward", 100, 50, 0),
            "T4 at once": ("Reward", 70, 0, 0),
            "T4 soon": ("Reward", 50, 0, 0),
            "TG20193021 at once": ("Reward", 70, 0, 0),
            "TG20193021 soon": ("Reward", 79, 69, 0),
        },
    ),
    "a member of many orders": Story(
        (TOMORROW,),
        (Chapter(2 * DAY),),
        known=(Chapter(HOUR, (at_once(*MANY),)),),
        ends={f"TG{number} tomorrow": ("Reward", 79, 0, 0) for number in range(26)},
    ),
}
STORIES |= {
    f"{name}, at a service": STORIES[name]._replace(provider="http") for name in ("points", "coupons")
}  # fmt: skip
