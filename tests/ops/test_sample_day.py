from collections import Counter

from ops.demo.command import SAMPLE_PROMOTIONS
from ops.demo.day import STORIES, sample_day, sample_orders
from ops.folders import PROJECT
from ops.promotions import read
from ops.send import problem_of
from ops.send import read as read_events


def test_the_day_is_the_same_each_time() -> None:
    assert sample_day() == sample_day()


def test_every_event_of_the_day_is_a_good_one() -> None:
    assert [problem for part in sample_day() for event in part if (problem := problem_of(event))] == []


def test_every_story_happens_as_often_as_it_says() -> None:
    assert Counter(order.story for order in sample_orders()) == STORIES
    assert len({order.order_group for order in sample_orders()}) == sum(STORIES.values())


def test_stories_are_spread_over_the_day() -> None:
    halves = sample_orders()[: sum(STORIES.values()) // 2]
    assert {order.story for order in halves} == set(STORIES)


def test_the_day_ends_at_midnight() -> None:
    orders = sample_orders()
    assert {order.ordered_at.date() for order in orders} == {orders[0].ordered_at.date()}


def test_an_event_told_twice_has_one_id_and_a_second_payment_another() -> None:
    paid: dict[str, list[str]] = {}
    for event in sample_day().on_the_day:
        if event["detail-type"] == "PaymentCompleted":
            paid.setdefault(event["detail"]["order_group"], []).append(event["detail"]["event_id"])
    ids = {order.story: paid[order.order_group] for order in sample_orders()}
    assert len(ids["paid, told twice"]) == 2
    assert len(set(ids["paid, told twice"])) == 1
    assert len(set(ids["paid twice"])) == 2


def test_the_samples_are_good() -> None:
    assert len(read(SAMPLE_PROMOTIONS)) == 4
    assert [problem_of(value) for _, value in read_events(PROJECT / "samples" / "orders.jsonl")] == [None] * 3
