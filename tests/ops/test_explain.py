"""`rewards explain`: what an operator reads."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from msgspec.structs import replace

from ops.explain import words
from rewards.explaining import explain
from rewards.order import ReturnedLine
from rewards.promotion import ByDateTime, Days, ECoupon, LoyaltyPoints
from rewards.reward import Held, RewardId
from tests.builders import ORDERED_AT, a_line, a_promotion, a_return, an_order, tiers
from tests.fakes.world import LATER, TIMETABLE, World
from tests.rewards.events import PAID, paid, reversed_by, shipped

ID = RewardId("1", PAID.order.id.order_group, "28343")


def told(world: World) -> list[str]:
    order = world.ledger.orders[ID.order]
    (only,) = explain(order, world.ledger.rewards(order.id), timetable=TIMETABLE, now=world.now)
    return list(words(only, TIMETABLE.zone))


def test_a_reward_that_waits_is_explained_from_the_lines_to_the_bucket() -> None:
    world = World(a_promotion())
    world.tell(PAID)
    booked = "booked: 2026-11-10 02:00, 7 days after it was ordered (2026-11-03 12:00), "
    assert told(world) == [
        "matched; last change: paid",
        "earns 50: 5 %, for 1,000.00",
        "  L1: 1,000.00 kept of 1,000.00",
        "on the row: 50",
        booked + "bucket 2 of 0 to 2: MD5 of 28343_TG20193021 begins with 4273969079",
        "waits for its window, released 2026-11-10 03:00",
    ]


def test_a_promotion_that_did_not_match_is_one_line() -> None:
    world = World(a_promotion(min_amount=Decimal(5000)))
    world.tell(PAID)
    assert told(world) == ["the lines that count come to 1000, which is below 5000"]


def test_rounding_and_cap_and_what_came_back_are_told() -> None:
    reward = LoyaltyPoints(rate=Decimal("0.05"), rounding="half_up", max_points=80)
    world = World(a_promotion(reward, skus=("SKU-L1", "SKU-L2"), days=0))
    world.tell(paid(an_order([a_line("L1", "999.90", quantity=3), a_line("L2"), a_line("L3")])))
    world.run()
    world.tell(reversed_by("R1", a_return([ReturnedLine("L1", 1)])))
    world.tell(reversed_by("R2", a_return([ReturnedLine("L2", 1)])))
    world.points.balances.clear()
    world.run()
    assert told(world) == [
        "matched; last change: recycled from M1, as far as the balance went",
        "earns 33: 5 %, for 666.60, is 33.33, rounded to the nearest to 33",
        "  L1: 666.60 kept of 999.90, 1 of 3 came back",
        "  L2: 0.00 kept of 1,000.00, 1 of 1 came back",
        "  not counted: L3",
        "on the row: 80, 47 not to be had",
        "booked: 2026-11-03 12:00, as soon as it is ordered (2026-11-03 12:00)",
    ]


def test_a_cap_that_cuts_is_told() -> None:
    world = World(a_promotion(tiers((0, 10), (1000, "0.02"), max_points=15)))
    world.tell(PAID)
    assert told(world)[1] == "earns 15: 2 % from 1,000 on, for 1,000.00, of 20 at most 15"


def test_a_sum_that_fell_below_the_least_earns_nothing_and_says_so() -> None:
    world = World(a_promotion(ECoupon("T", quantity=1), min_amount=Decimal(1000)))
    world.tell(PAID)
    assert told(world)[1] == "earns 1: 1 coupon, for 1,000.00"
    world.tell(reversed_by("R1", a_return([ReturnedLine("L1", 1, Decimal("0.005"))])))
    assert told(world)[1] == "earns 0: the lines kept come to 0.00, which is below 1,000.00"


def waiting_for_the_parcel(world: World) -> None:
    world.promotions.stored["28343"] = a_promotion(timing=Days(7, "shipped"))
    world.tell(PAID)


def a_date(world: World) -> None:
    world.promotions.stored["28343"] = a_promotion(timing=ByDateTime(ORDERED_AT + LATER))
    world.tell(PAID)


def asking_for_stock_again(world: World) -> None:
    world.tell(PAID)
    retry = ORDERED_AT + timedelta(days=8)
    world.ledger.rows[ID] = replace(world.ledger.rows[ID], booking_time=retry, stock_outs=2)


def granted_before_the_parcel_left(world: World) -> None:
    world.promotions.stored["28343"] = a_promotion(timing=Days(7, "shipped", before_shipping="ordered"))
    world.tell(PAID)
    world.run(until=world.now + LATER)
    world.tell(shipped(world.now))


def held(world: World) -> None:
    world.tell(PAID)
    world.ledger.rows[ID] = replace(world.ledger.rows[ID], held=Held("refused", "no such account"))


def released(world: World) -> None:
    world.tell(PAID)
    world.now += LATER


@pytest.mark.parametrize(
    ("happens", "line"),
    [
        (waiting_for_the_parcel, "booked: not yet; 7 days after it was shipped"),
        (waiting_for_the_parcel, "waits for the parcel to leave"),
        (a_date, "booked: 2026-12-03 12:00, the date the promotion names"),
        (asking_for_stock_again, "booked: 2026-11-11 12:00, the next time to ask for stock"),
        (asking_for_stock_again, "waits for stock, asked for again 2026-11-11 12:00 (2 × out of stock)"),
        (granted_before_the_parcel_left, "booked: 2026-11-10 02:00, by what was known or set at that time"),
        (held, "waits for a person (no such account)"),
        (released, "waits for a worker: it has been released"),
    ],
)
def test_each_way_to_a_time_and_of_waiting_has_its_words(happens: Callable[[World], None], line: str) -> None:
    world = World(a_promotion())
    happens(world)
    assert line in told(world)
