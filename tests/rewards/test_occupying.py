"""Occupying: a place is held from when the order is placed, becomes the reward's at the payment, and is let go once."""

from datetime import timedelta

from msgspec.structs import replace

from rewards.outcomes import (
    AlreadyPaid,
    Booked,
    Cancelled,
    FoundNoPlace,
    NotHeldBack,
    NothingMatched,
    NothingToEarn,
    NothingToHold,
    Occupied,
    PlacedBefore,
)
from rewards.promotion import LoyaltyPoints, Promotion, Quota
from rewards.reward import Reward, RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_promotion, a_return, an_order
from tests.fakes.world import LATER, World
from tests.rewards.events import failed, paid, placed, reversed_by

FIRST = Quota(total=1, occupy=True)
ORDER, OTHER = an_order(order_group="TG1"), an_order(order_group="TG2", member_id="M2")


def id_of(order_group: str) -> RewardId:
    return RewardId("1", order_group, "28343")


def a_world(quota: Quota = FIRST, *others: Promotion) -> World:
    return World(a_promotion(quota=quota), *others)


def row(world: World, order_group: str = "TG1") -> Reward:
    return world.ledger.rows[id_of(order_group)]


def taken(world: World) -> int:
    return world.ledger.taken.total()


def test_a_placed_order_holds_a_place_until_its_deadline() -> None:
    world = a_world(Quota(total=5, per_member=1, occupy=True, unpaid_minutes=60))
    assert world.tell(placed(ORDER)) == [Occupied(id_of("TG1"))]
    held = row(world)
    assert (held.status, held.points, held.booking_time) == (Status.OCCUPY, 50, None)
    assert held.unpaid_until == ORDERED_AT + timedelta(minutes=60)
    assert held.due
    assert held.due.partition.startswith("expire#2026-11-03#")
    assert held.due.sort.startswith("2026-11-03T05:00:00Z#1#M1#28343#")
    assert held.place
    assert taken(world) == 2, "one of the total, one of the member's"
    order = world.ledger.orders[ORDER.id]
    assert (order.placed_at, order.decisions, order.is_paid) == (ORDERED_AT, {"28343": "matched"}, False)


def test_who_comes_too_late_matches_without_quota_and_is_told_why() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    assert world.tell(placed(OTHER)) == [FoundNoPlace(id_of("TG2"))]
    without = row(world, "TG2")
    assert (without.status, without.points, without.due) == (Status.NO_QUOTA, 0, None)
    assert without.update_reason == "no place: 1 of 1 are taken"
    assert world.ledger.orders[OTHER.id].decisions == {"28343": "matched"}


def test_a_member_gets_no_more_places_than_are_meant_for_one() -> None:
    world = a_world(Quota(per_member=1, occupy=True))
    world.tell(placed(ORDER))
    assert world.tell(placed(replace(OTHER, member_id="M1"))) == [FoundNoPlace(id_of("TG2"))]
    assert row(world, "TG2").update_reason == "no place: the member has 1 of 1"
    third = an_order(order_group="TG3", member_id="M2")
    assert world.tell(placed(third)) == [Occupied(id_of("TG3"))]


def test_a_repeat_takes_no_second_place_and_starts_the_timer_again() -> None:
    world = a_world(Quota(total=5, occupy=True, unpaid_minutes=10))
    world.tell(placed(ORDER))
    before = row(world)
    world.now += timedelta(minutes=4)
    assert world.tell(placed(ORDER)) == [PlacedBefore(ORDER.id)]
    assert row(world) == before
    assert [timer.delay for timer in world.timers.waiting] == [timedelta(minutes=10), timedelta(minutes=6)]


def test_an_order_that_no_promotion_holds_a_place_for_is_not_written() -> None:
    world = a_world(Quota(total=5), a_promotion(promotion_id="without quota"))
    assert world.tell(placed(ORDER)) == [NothingToHold(ORDER.id)]
    assert world.ledger.orders == {}


def test_a_promotion_it_does_not_fall_under_is_decided_and_holds_nothing() -> None:
    world = World(a_promotion(quota=FIRST, sources=("Others",)))
    assert world.tell(placed(ORDER)) == [NothingMatched(ORDER.id)]
    assert world.ledger.orders[ORDER.id].decisions == {"28343": "orders from ECom do not count"}
    assert taken(world) == 0


def test_an_order_that_came_back_whole_before_it_was_placed_holds_nothing() -> None:
    world = a_world()
    world.tell(reversed_by("R1", a_return(), ORDER))
    assert world.tell(placed(ORDER)) == [NothingToHold(ORDER.id)]
    assert world.tell(paid(ORDER)) == [NothingToEarn(id_of("TG1"))]
    assert taken(world) == 0


def test_the_payment_makes_the_place_the_rewards_and_takes_no_second_one() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    place = row(world).place
    assert world.tell(paid(ORDER)) == [Booked(id_of("TG1"))]
    booked = row(world)
    assert (booked.status, booked.points, booked.place, booked.unpaid_until) == (Status.WAIT, 50, place, None)
    assert (booked.version, booked.changed_version) == (2, 2)
    assert booked.due
    assert booked.due.partition.startswith("reward#")
    assert taken(world) == 1
    assert world.ledger.orders[ORDER.id].placed_at == ORDERED_AT


def test_what_was_decided_when_it_was_placed_is_not_decided_again() -> None:
    world = a_world(Quota(total=9, occupy=True), a_promotion(promotion_id="big", quota=FIRST, sources=("Others",)))
    world.tell(placed(ORDER))
    world.promotions.stored["28343"] = a_promotion(LoyaltyPoints(points=7), sources=("Others",))
    world.promotions.stored["big"] = a_promotion(promotion_id="big")
    world.promotions.stored["new"] = a_promotion(promotion_id="new")
    world.tell(paid(ORDER))
    assert row(world).points == 50, "the rule is the one of the day it was placed"
    assert world.ledger.orders[ORDER.id].decisions == {
        "28343": "matched",
        "big": "orders from ECom do not count",
        "new": "matched",
    }
    assert set(world.ledger.rows) == {id_of("TG1"), RewardId("1", "TG1", "new")}


def test_without_a_place_when_it_was_placed_it_stays_without_at_the_payment() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    world.tell(placed(OTHER))
    without = row(world, "TG2")
    world.tell(failed(ORDER))
    assert world.tell(paid(OTHER)) == [FoundNoPlace(id_of("TG2"))]
    assert row(world, "TG2") == without


def test_a_quota_that_is_not_held_before_the_payment_is_taken_by_it() -> None:
    world = a_world(Quota(total=1))
    assert world.tell(paid(ORDER)) == [Booked(id_of("TG1"))]
    assert world.tell(paid(OTHER)) == [FoundNoPlace(id_of("TG2"))]
    assert row(world, "TG2").status is Status.NO_QUOTA


def test_a_payment_without_an_order_placed_takes_its_place_itself_and_a_late_one_is_ignored() -> None:
    world = a_world()
    assert world.tell(paid(ORDER)) == [Booked(id_of("TG1"))]
    assert world.tell(placed(ORDER)) == [PlacedBefore(ORDER.id)]
    assert taken(world) == 1
    assert world.timers.waiting == []


def test_a_failed_payment_lets_the_place_go_once() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    assert world.tell(failed(ORDER)) == [Cancelled(id_of("TG1"))]
    gone = row(world)
    assert (gone.status, gone.points, gone.place, gone.due) == (Status.CANCEL, 0, None, None)
    assert gone.update_reason == "payment attempt 1 failed"
    assert world.tell(failed(ORDER)) == [NotHeldBack(ORDER.id)]
    assert taken(world) == 0
    assert world.tell(placed(OTHER)) == [Occupied(id_of("TG2"))]


def test_a_payment_attempt_that_failed_before_the_one_that_did_not_changes_nothing() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    world.tell(paid(ORDER))
    assert world.tell(failed(ORDER)) == [NotHeldBack(ORDER.id)]
    assert (row(world).status, taken(world)) == (Status.WAIT, 1)


def test_a_payment_after_a_failed_one_earns_the_reward_if_there_is_still_a_place() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    world.tell(failed(ORDER))
    assert world.tell(paid(ORDER)) == [Booked(id_of("TG1"))]
    assert (row(world).status, taken(world)) == (Status.WAIT, 1)
    assert world.tell(paid(ORDER)) == [AlreadyPaid(ORDER.id)]


def test_a_payment_after_a_failed_one_finds_no_place_where_another_took_it() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    world.tell(failed(ORDER))
    world.tell(placed(OTHER))
    assert world.tell(paid(ORDER)) == [FoundNoPlace(id_of("TG1"))]
    assert (row(world).status, row(world, "TG2").status) == (Status.NO_QUOTA, Status.OCCUPY)


def test_an_order_that_is_cancelled_before_the_payment_lets_its_place_go() -> None:
    world = a_world()
    world.tell(placed(ORDER))
    assert world.tell(reversed_by("R1", a_return(), ORDER)) == [Cancelled(id_of("TG1"))]
    assert (row(world).status, taken(world)) == (Status.CANCEL, 0)
    assert world.tell(paid(ORDER)) == [NothingToEarn(id_of("TG1"))]
    assert (row(world).version, taken(world)) == (2, 0)


def test_a_reward_that_is_cancelled_while_it_waits_lets_its_place_go_and_one_that_is_granted_keeps_it() -> None:
    world = a_world(Quota(total=5))
    world.tell(paid(ORDER))
    world.tell(paid(OTHER))
    world.tell(reversed_by("R1", a_return(), ORDER))
    world.tell(reversed_by("R1", a_return(), ORDER))
    assert taken(world) == 1
    world.run(until=world.now + LATER)
    world.tell(reversed_by("R1", a_return(), OTHER))
    world.run()
    assert row(world, "TG2").recycle_points == 50
    assert taken(world) == 1


def test_a_placed_order_gets_its_place_whatever_came_back_in_another_currency_before() -> None:
    world = a_world()
    world.tell(reversed_by("R1", a_return(currency="USD"), ORDER))
    world.tell(placed(ORDER))
    assert taken(world) == 1


def test_thirty_promotions_with_places_of_their_own_fit_one_transaction() -> None:
    many = [a_promotion(promotion_id=f"{number:02}", quota=Quota(9, 9, occupy=True)) for number in range(33)]
    world = World(*many)
    assert len(world.tell(placed(ORDER))) == 30
    assert 1 + len(world.ledger.rows) + taken(world) <= 100, "a transaction takes no more items"
    world.tell(paid(ORDER))
    assert {row.status for row in world.ledger.rows.values()} == {Status.WAIT}
    assert taken(world) == 60
