"""The sample orders of one shop on 11 November 2026: a rush for tea sets at midnight, then an ordinary day.

Everything follows from an order's number, so the orders are the same each time.
"""

from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

SHOP = "1"
MEMBERS, MERGED = 90, "M0900"
TAIPEI = timezone(timedelta(hours=8))
MIDNIGHT = datetime(2026, 11, 11, tzinfo=TAIPEI)

RUSH = {
    "never paid": 6,
    "failed, then paid": 6,
    "one member twice": 6,
    "in the rush": 24,
    "after the rush": 8,
}
"""What happens to an order of a tea set, and to how many of them."""

STORIES = {
    "paid": 70,
    "paid, told twice": 12,
    "paid twice": 10,
    "cancelled early": 14,
    "part back early": 10,
    "part back later": 14,
    "back bit by bit": 10,
    "all back later": 12,
    "back before paid": 8,
    "members merged": 4,
    "shipped": 12,
    "shipped before paid": 6,
    "not shipped yet": 4,
    "coupons": 18,
    "coupons back": 6,
    "coupon used, back": 5,
    "guest": 8,
    "no match": 8,
}
"""The same of an order in the day after."""

SPREAD = 97
"""Prime to the number of these orders: taking each so-and-so-manieth story mixes them through the day."""

BETWEEN_RUSH_ORDERS = timedelta(seconds=10)
AFTER_THE_RUSH = timedelta(minutes=40)
THE_DAY_BEGINS = timedelta(hours=1)
BETWEEN_ORDERS = timedelta(minutes=5, seconds=58)

SHELF = (
    ("OOLONG-150", "tea", 680),
    ("MUG", "kitchen", 390),
    ("BEANS-1KG", "coffee", 1150),
    ("KETTLE", "kitchen", 2490),
    ("SENCHA-100", "tea", 520),
    ("GRINDER", "coffee", 3980),
    ("GIFT-CARD", "cards", 1000),
    ("FILTERS", "coffee", 120),
)
TEA_SET, TEAPOT, BOOK = ("TEA-SET", "sets", 1980), ("TEAPOT", "pots", 860), ("TEA-BOOK", "books", 450)
SOLD_IN = (
    dict.fromkeys(RUSH, TEA_SET)
    | dict.fromkeys(("shipped", "shipped before paid", "not shipped yet"), TEAPOT)
    | dict.fromkeys(("coupons", "coupons back", "coupon used, back"), BOOK)
)
"""What the first line of an order is of, where its story is about a promotion of that."""

STICKER = {"line": "TS-1", "sku": "STICKER", "quantity": 1, "amount": "60.00"}


class SampleOrder(NamedTuple):
    """An order, as its events tell it, and its story."""

    order_group: str
    story: str
    ordered_at: datetime
    order: dict[str, Any]


def sample_orders() -> list[SampleOrder]:
    rush = [story for story, count in RUSH.items() for _ in range(count)]
    day = [story for story, count in STORIES.items() for _ in range(count)]
    mixed = [day[place * SPREAD % len(day)] for place in range(len(day))]
    return [
        *(_order(number, story, _time_in_the_rush(number, story)) for number, story in enumerate(rush)),
        *(
            _order(len(rush) + place, story, MIDNIGHT + THE_DAY_BEGINS + place * BETWEEN_ORDERS)
            for place, story in enumerate(mixed)
        ),
    ]


def an_order_of(story: str) -> SampleOrder:
    return next(order for order in sample_orders() if order.story == story)


def _time_in_the_rush(number: int, story: str) -> datetime:
    late = AFTER_THE_RUSH if story == "after the rush" else timedelta()
    return MIDNIGHT + late + number * BETWEEN_RUSH_ORDERS


def _order(number: int, story: str, ordered_at: datetime) -> SampleOrder:
    order: dict[str, Any] = {
        "member_id": _member(number, story),
        "source": "ECom",
        "ordered_at": ordered_at.isoformat(),
        "currency": "TWD",
        "lines": [_line(number, position, story) for position in range(1 + number % 3)],
    }
    if story == "no match":
        order |= {"source": "Others"} if number % 2 else {"lines": [STICKER]}
    return SampleOrder(f"TG{ordered_at:%y%m%d}{number:04}", story, ordered_at, order)


def _member(number: int, story: str) -> str | None:
    match story:
        case "guest":
            return ("0", "", None)[number % 3]
        case "one member twice":
            return _member(number - number % 2, "in the rush")
        case "members merged":
            return (MERGED, f"{MERGED}-OLD")[number % 2]
    return f"M{number * 31 % MEMBERS:04}"


def _line(number: int, position: int, story: str) -> dict[str, Any]:
    sku, category, price = SHELF[(number + 3 * position) % len(SHELF)]
    quantity = 1 + (number // 3 + position) % 3
    if story in SOLD_IN and position == 0:
        sku, category, price = SOLD_IN[story]
        quantity = 1
    line = f"TS{number:04}-{position + 1}"
    amount = f"{price * quantity}.00"
    return {"line": line, "sku": sku, "categories": [category], "quantity": quantity, "amount": amount}
