from collections import Counter
from datetime import timedelta

import pytest

from ops.demo.command import SAMPLE_PROMOTIONS, WORTH_A_LOOK
from ops.demo.day import sample_day
from ops.demo.orders import AFTER_THE_RUSH, MIDNIGHT, RUSH, SHOP, STORIES, TEA_SET, an_order_of, sample_orders
from ops.folders import PROJECT
from ops.promotions import read
from ops.send import problem_of
from ops.send import read as read_events

TEA_SETS = next(promotion.quota for promotion in read(SAMPLE_PROMOTIONS) if promotion.eligible.skus == TEA_SET[:1])


def test_the_day_is_the_same_each_time() -> None:
    assert sample_day() == sample_day()


def test_every_event_of_the_day_is_a_good_one() -> None:
    assert [problem for part in sample_day() for event in part if (problem := problem_of(event))] == []


def test_every_story_happens_as_often_as_it_says() -> None:
    assert Counter(order.story for order in sample_orders()) == RUSH | STORIES
    assert len({order.order_group for order in sample_orders()}) == sum((RUSH | STORIES).values())


def test_every_order_is_placed_once() -> None:
    placed = [event["detail"]["order_group"] for part in sample_day() for event in part if is_placed(event)]
    assert sorted(placed) == sorted(order.order_group for order in sample_orders())


def test_stories_are_spread_over_the_day() -> None:
    orders = [order for order in sample_orders() if order.story in STORIES]
    assert {order.story for order in orders[: len(orders) // 2]} == set(STORIES)


def test_the_day_ends_at_midnight() -> None:
    assert {order.ordered_at.date() for order in sample_orders()} == {MIDNIGHT.date()}


def test_the_rush_finds_places_but_not_enough_and_then_those_that_were_not_paid_for() -> None:
    assert TEA_SETS
    assert TEA_SETS.total
    places_before = TEA_SETS.total - RUSH["never paid"] - RUSH["failed, then paid"] - RUSH["one member twice"] // 2
    assert 0 < places_before < RUSH["in the rush"]
    assert RUSH["never paid"] < RUSH["after the rush"]


def test_who_comes_after_the_rush_comes_when_the_time_to_pay_is_over() -> None:
    assert TEA_SETS
    until = MIDNIGHT + AFTER_THE_RUSH - timedelta(minutes=TEA_SETS.unpaid_minutes)
    assert all(order.ordered_at < until for order in sample_orders() if order.story == "never paid")


def test_but_for_those_who_order_twice_nobody_orders_two_tea_sets() -> None:
    members = Counter(order.order["member_id"] for order in sample_orders() if order.story in RUSH)
    assert Counter(members.values())[2] == RUSH["one member twice"] // 2
    assert max(members.values()) == 2


def test_an_event_told_twice_has_one_id_and_a_second_payment_another() -> None:
    paid: dict[str, list[str]] = {}
    for event in sample_day().on_the_day:
        if event["detail-type"] == "PaymentCompleted":
            paid.setdefault(event["detail"]["order_group"], []).append(event["detail"]["event_id"])
    ids = {order.story: paid[order.order_group] for order in sample_orders() if order.story in STORIES}
    assert len(ids["paid, told twice"]) == 2
    assert len(set(ids["paid, told twice"])) == 1
    assert len(set(ids["paid twice"])) == 2


def test_every_order_worth_a_look_is_of_a_story_that_happens() -> None:
    assert WORTH_A_LOOK.keys() <= (RUSH | STORIES).keys()


@pytest.mark.parametrize("page", ["README.md", "README.zh-TW.md"])
def test_the_order_that_the_readme_shows_is_one_worth_a_look(page: str) -> None:
    assert f"rewards show {SHOP}/{an_order_of('back bit by bit').order_group} " in (PROJECT / page).read_text()


def test_the_samples_are_good() -> None:
    assert len(read(SAMPLE_PROMOTIONS)) == 8
    for sample in ("orders.jsonl", "dead-letters.jsonl"):
        assert {problem_of(value) for _, value in read_events(PROJECT / "samples" / sample)} == {None}


def is_placed(event: dict[str, object]) -> bool:
    return event["detail-type"] == "OrderPlaced"
