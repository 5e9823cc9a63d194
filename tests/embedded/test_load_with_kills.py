"""Orders in a crowd, function processes killed at their work, and the cloud stopped in the middle: nothing is lost.

The messages of a killed process come back when their time is over, soon here: their rows are still claimed then, so
that many are left to the sweep, as if the message had been lost. In a soak there are thousands of orders.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from adapters.findings import S3Findings
from ops import clock, dispatch
from ops.audit.command import audit_as_it_is
from ops.coupons import pool_of
from ops.demo.books import Books, read_books
from ops.demo.checks import checks
from ops.demo.day import Event
from ops.due import due_by
from ops.embedded import cloud
from ops.letter_options import FIRST, KINDS, LAST, kept_letters
from ops.promotions import store
from ops.send import put
from ops.stack import Stack
from ops.stillness import busy_queues, wait_until_still
from rewards.filing import Selection
from rewards.identifiers import split
from tests.embedded.conftest import begin_at
from tests.embedded.kills import CAN_BE_SEEN, died_in_hand, kills
from tests.embedded.load import BACK_AT, BOOKS, LATER, NOW, ORDERED_AT, SHOP, LoadedOrder, promotions
from tests.ports import own_ports
from tests.soak import IS_SOAK

pytestmark = [
    pytest.mark.xdist_group("embedded"),
    pytest.mark.skipif(not CAN_BE_SEEN, reason="only Linux tells which process is at work"),
]

ORDERS = 3_000 if IS_SOAK else 96
KILLS = 60 if IS_SOAK else 5
"""In each of four parts, at most."""

HIDDEN_SECONDS = 20 if IS_SOAK else 10
"""How long a message is hidden from others; deployed it is minutes."""

PATIENCE_SECONDS = 900
"""For a part to be worked off."""

CALLS_OF_A_SCHEDULE = 3
"""As often does Lambda call a function that failed."""

A_WEEK_LATER = ORDERED_AT + timedelta(days=7)
ANY = Selection(kinds=KINDS, since=FIRST, until=LAST)


@pytest.fixture(autouse=True)
def _messages_come_back_soon(stack: Stack) -> Iterator[None]:
    usual = {
        url: stack.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"]) for url in stack.queues
    }
    for url in usual:
        stack.sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": str(HIDDEN_SECONDS)})
    yield
    for url, told in usual.items():
        stack.sqs.set_queue_attributes(QueueUrl=url, Attributes=told["Attributes"])


def test_killed_at_work_and_stopped_in_the_middle_it_adds_up(
    data: Path, stack: Stack, record_property: Callable[[str, int], None]
) -> None:
    orders, offers = [LoadedOrder(number) for number in range(ORDERS)], promotions(places=ORDERS // 20)
    begin_at(stack, ORDERED_AT)
    store(offers, stack)
    pool_of(stack).add_stock(SHOP, BOOKS, ORDERS)
    letters = set(kept_letters(stack).open(ANY))

    with kills(data, KILLS) as killed:
        send(stack, (event for order in orders[::2] for event in order.first_events()))
        wait_until_still(stack, patience=PATIENCE_SECONDS)
    died = died_in_hand(data)
    send(stack, (event for order in orders[1::2] for event in order.first_events()))
    stopped_with = stop_and_start(data, stack)
    with kills(data, KILLS) as more:
        wait_until_still(stack, patience=PATIENCE_SECONDS)
    killed += more
    with kills(data, KILLS) as more:
        run_schedules(stack, A_WEEK_LATER)
    killed += more
    clock.move_to(stack, BACK_AT)
    with kills(data, KILLS) as more:
        send(stack, (event for order in orders for event in order.last_events()))
        wait_until_still(stack, patience=PATIENCE_SECONDS)
    killed += more
    died += died_in_hand(data)
    for hours in (1, 3):
        dispatch.run(stack, BACK_AT + timedelta(hours=hours))

    assert [letter for letter in kept_letters(stack).open(ANY) if letter not in letters] == []
    books = books_of_the_shop(stack)
    assert [check.words for check in checks(books, offers) if not check.holds] == []
    assert kept(books) == {order.order_group: (order.story.points, order.story.coupons) for order in orders}
    found = [*audit_as_it_is(stack).findings, *S3Findings(stack.s3, stack["FindingsBucketName"]).open()]
    assert [finding for finding in found if finding.about.startswith(SHOP)] == []
    assert died, "no process had anything in hand when it was killed"
    record_property("orders under load", ORDERS)
    for step, times in killed.most_common():
        record_property(f"kills of {step}", times)
    record_property("batches that died in hand", died.total())
    record_property("messages over a stop of the cloud", stopped_with)


def send(stack: Stack, events: Iterable[Event]) -> None:
    put(list(events), stack.events, stack["OrdersBusName"])


def stop_and_start(data: Path, stack: Stack) -> int:
    """The messages that were on their way when the cloud was stopped."""
    running = cloud.running(data)
    assert running
    assert due_by(stack, A_WEEK_LATER), "rewards wait in the due index"
    messages = sum(busy_queues(stack).values())
    assert messages, "messages are on their way"
    cloud.stop(data, running)
    cloud.start(data, "cloud", ports=own_ports())
    return messages


def run_schedules(stack: Stack, at: datetime) -> None:
    """All schedules run at `at`. A function that is killed each time is left to the next run."""
    clock.move_to(stack, at)
    for function, event in dispatch.scheduled_calls(f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"):
        for _ in range(CALLS_OF_A_SCHEDULE):
            answer = stack.functions.invoke(FunctionName=stack[function], Payload=json.dumps(event).encode())
            if "FunctionError" not in answer:
                break
    wait_until_still(stack, patience=PATIENCE_SECONDS)


def books_of_the_shop(stack: Stack) -> Books:
    """Letters are everyone's, and are looked at by themselves."""
    books = read_books(stack)
    return replace(
        books,
        orders=[order for order in books.orders if order.id.shop_id == SHOP],
        rewards=[row for row in books.rewards if row.id.shop_id == SHOP],
        places={count: used for count, used in books.places.items() if split(count)[0] == SHOP},
        accounts=[account for account in books.accounts if account.member.shop_id == SHOP],
        coupons=[coupon for coupon in books.coupons if coupon.member.shop_id == SHOP],
        stocks=[stock for shop_id, _, stock in pool_of(stack).stocks() if shop_id == SHOP],
        letters=0,
    )


def kept(books: Books) -> dict[str, tuple[int, int]]:
    """The points and the coupons that each order left; those of the race for places are left out."""
    points, coupons = Counter[str](), Counter[str]()
    for row in books.rewards:
        counted = {NOW: points, LATER: points, BOOKS: coupons}.get(row.id.promotion_id, Counter())
        counted[row.id.order_group] += (row.points if row.is_reward else 0) - row.recycle_points
    return {
        order.id.order_group: (points[order.id.order_group], coupons[order.id.order_group]) for order in books.orders
    }
