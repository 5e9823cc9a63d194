"""Explaining: what an operator reads of a reward is what made it so."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from msgspec.structs import replace

from rewards.explaining import Booking, CountedLine, Draw, Explanation, explain
from rewards.order import ReturnedLine
from rewards.promotion import ByDateTime, Days, ECoupon, LoyaltyPoints, Promotion, Tier
from rewards.reward import RewardId
from rewards.status import Status
from rewards.waiting import Waiting
from tests.builders import ORDERED_AT, a_line, a_promotion, a_return, an_order, tiers
from tests.fakes.world import LATER, TIMETABLE, World
from tests.rewards.events import PAID, paid, reversed_by, shipped

LEFT = ORDERED_AT + timedelta(days=2)
ID = RewardId("1", PAID.order.id.order_group, "28343")
DRAW = Draw("28343_TG20193021", 4273969079, buckets=3, bucket=2)


def told(world: World) -> dict[str, Explanation]:
    order = world.ledger.orders[PAID.order.id]
    every = explain(order, world.ledger.rewards(order.id), timetable=TIMETABLE, now=world.now)
    return {each.promotion_id: each for each in every}


def explained(*promotions: Promotion) -> dict[str, Explanation]:
    world = World(*promotions)
    world.tell(PAID)
    return told(world)


def test_every_promotion_that_was_considered_is_explained_matched_or_not() -> None:
    every = explained(a_promotion(), a_promotion(promotion_id="big", min_amount=Decimal(5000)))
    assert list(every) == ["28343", "big"]
    assert every["big"] == Explanation("big", "the lines that count come to 1000, which is below 5000")
    matched = every["28343"]
    assert (matched.decision, matched.status, matched.points, matched.reason) == ("matched", Status.WAIT, 50, "paid")


def test_the_amount_is_shown_from_the_lines_to_the_last_cut() -> None:
    order = an_order([a_line("L1", "999.90", quantity=3), a_line("L2", "1000"), a_line("gift card", "500")])
    world = World(a_promotion(LoyaltyPoints(rate=Decimal("0.05"), max_points=80), exclude_skus=("SKU-gift card",)))
    world.tell(paid(order))
    world.tell(reversed_by("R1", a_return([ReturnedLine("L1", 1)])))
    amount = told(world)["28343"].amount
    assert amount
    assert amount.lines == (
        CountedLine("L1", 3, Decimal("999.90"), 1, Decimal("666.6")),
        CountedLine("L2", 1, Decimal(1000), 0, Decimal(1000)),
    )
    assert amount.not_counted == ("gift card",)
    assert (amount.base_amount, amount.exact) == (Decimal("1666.6"), Decimal("83.33"))
    assert (amount.rounding, amount.whole, amount.max_points, amount.points) == ("floor", 83, 80, 80)


def test_the_tier_that_applies_is_named_and_none_where_none_does() -> None:
    both = explained(
        a_promotion(tiers((500, 10), (1000, "0.02"), (5000, 200))), a_promotion(tiers((1000, 9)), promotion_id="low")
    )
    amount = both["28343"].amount
    assert amount
    assert amount.applied == Tier(Decimal(1000), rate=Decimal("0.02"))
    world = World(a_promotion(tiers((1000, 9))))
    world.tell(PAID)
    world.tell(reversed_by("R1", a_return([ReturnedLine("L1", 1, Decimal(1))])))
    cancelled = told(world)["28343"]
    assert cancelled.amount
    assert (cancelled.status, cancelled.amount.applied, cancelled.amount.points) == (Status.CANCEL, None, 0)


def test_coupons_are_counted_and_neither_rounded_nor_capped() -> None:
    coupon = explained(a_promotion(ECoupon("T", quantity=2)))["28343"]
    assert (coupon.reward_type, coupon.points) == ("ECoupon", 2)
    assert coupon.amount
    assert (coupon.amount.rounding, coupon.amount.max_points, coupon.amount.points) == (None, None, 2)


def test_a_booking_time_some_days_away_is_shown_with_its_seed_and_bucket() -> None:
    at = datetime(2026, 11, 9, 18, tzinfo=UTC)
    assert explained(a_promotion())["28343"].booking == Booking(at, "days", "ordered", ORDERED_AT, 7, DRAW)


def test_a_booking_time_that_is_given_or_immediate_is_not_drawn() -> None:
    at = datetime(2026, 12, 24, tzinfo=UTC)
    both = explained(a_promotion(timing=ByDateTime(at)), a_promotion(promotion_id="at once", timing=Days(0, "paid")))
    assert both["28343"].booking == Booking(at, "date")
    assert both["at once"].booking == Booking(ORDERED_AT, "days", "paid", ORDERED_AT, 0)


def test_what_counts_from_shipping_has_no_time_before_and_then_that_of_the_shipping() -> None:
    world = World(a_promotion(timing=Days(7, "shipped")))
    world.tell(PAID)
    before = told(world)["28343"]
    assert before.booking == Booking(None, "days", "shipped", days=7)
    assert before.waits_for == Waiting("shipping")
    world.tell(shipped(LEFT))
    after = told(world)["28343"]
    assert after.reason == "shipped"
    assert after.booking == Booking(world.ledger.rows[ID].booking_time, "days", "shipped", LEFT, 7, DRAW)


def test_a_provisional_time_is_counted_from_the_order_as_long_as_it_stands() -> None:
    world = World(a_promotion(timing=Days(7, "shipped", before_shipping="ordered")))
    world.tell(PAID)
    provisional = Booking(world.ledger.rows[ID].booking_time, "days", "ordered", ORDERED_AT, 7, DRAW)
    assert told(world)["28343"].booking == provisional
    world.run(until=world.now + LATER)
    world.tell(shipped(world.now))
    assert told(world)["28343"].booking == Booking(provisional.at, "otherwise"), "granted before the parcel left"


def test_a_time_to_ask_for_stock_again_is_called_that() -> None:
    world = World(a_promotion())
    world.tell(PAID)
    retry = ORDERED_AT + timedelta(days=8)
    world.ledger.rows[ID] = replace(world.ledger.rows[ID], booking_time=retry, stock_outs=1)
    explanation = told(world)["28343"]
    assert explanation.booking == Booking(retry, "stock")
    assert explanation.waits_for == Waiting("stock", retry, "1 × out of stock")


def test_what_was_granted_and_taken_back_is_shown_beside_what_the_kept_lines_earn() -> None:
    world = World(a_promotion())
    world.tell(paid(an_order(lines=2)))
    world.run(until=world.now + LATER)
    world.tell(reversed_by("R1", a_return([ReturnedLine("L1", 1)])))
    world.run()
    explanation = told(world)["28343"]
    assert (explanation.points, explanation.recycle_points, explanation.shortfall) == (100, 50, 0)
    assert explanation.amount
    assert explanation.amount.points == 50
    assert explanation.waits_for is None
