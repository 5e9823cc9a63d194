"""What is redriven comes late, or twice: it changes nothing that happened since."""

import json
from typing import Any

import pytest

from rewards.dispatching import dispatch
from rewards.errors import Invalid
from rewards.events import parse_payment_completed, parse_reverse_event
from rewards.given_up import parked
from rewards.outcomes import NotOwed
from rewards.replaying import ToQueue, way_back
from rewards.reward import Due, Reward
from rewards.tasks import Task, parse_task, parse_window, task_of
from tests.builders import NOW, a_promotion
from tests.fakes.due_index import MemoryDueIndex
from tests.fakes.lists import MemoryLists
from tests.fakes.queues import MemoryQueues, MemoryWindows
from tests.fakes.world import LATER, World
from tests.rewards.test_given_up import BOOK_QUEUE, a_message

ALL_BACK = {"return_id": "R1", "lines": "all"}


def redriven(body: str) -> str:
    """The body as it comes out of its queue again, after it was given up and its letter redriven."""
    letter = parked(a_message(body, queue=BOOK_QUEUE), "exhausted", RuntimeError("no table"), step="book", now=NOW)
    way = way_back(letter, {"Rewards-BookQueue"})
    assert isinstance(way, ToQueue)
    return way.body


def pay(world: World) -> None:
    lines = [{"line": "L1", "sku": "S", "categories": [], "quantity": 1, "amount": "1000"}]
    order = {"member_id": "M1", "source": "ECom", "ordered_at": "2026-11-03T12:00:00+08:00", "currency": "TWD"}
    world.tell(parse_payment_completed(redriven(event("PaymentCompleted", order=order | {"lines": lines}))))
    world.run()


def send_back(world: World, **fields: Any) -> None:
    world.tell(parse_reverse_event(redriven(event("OrderReturned", **fields))))
    world.run()


def event(kind: str, **fields: Any) -> str:
    named = {"event_id": kind, "occurred_at": "2026-11-03T12:00:00+08:00", "shop_id": "1", "order_group": "TG1"}
    return json.dumps({"detail-type": kind, "detail": named | fields})


@pytest.fixture
def world() -> World:
    return World(a_promotion())


@pytest.fixture
def granted(world: World) -> World:
    pay(world)
    world.run(until=world.now + LATER)
    assert points(world) == 50
    return world


def points(world: World) -> int:
    return sum(world.points.balances.values())


def row(world: World) -> Reward:
    (only,) = world.ledger.rows.values()
    return only


def test_a_payment_after_it_was_booked_earns_nothing_more(granted: World) -> None:
    before = row(granted)
    for _ in range(2):
        pay(granted)
    assert (row(granted), points(granted)) == (before, 50)


def test_a_return_after_it_was_applied_takes_nothing_more(granted: World) -> None:
    for _ in range(3):
        send_back(granted, **ALL_BACK)
    assert (row(granted).recycle_points, row(granted).shortfall, points(granted)) == (50, 0, 0)


def test_a_payment_after_all_came_back_earns_nothing(world: World) -> None:
    send_back(world, **ALL_BACK)
    pay(world)
    world.run(until=world.now + LATER)
    assert points(world) == 0


def test_a_payment_after_its_reward_was_taken_back_grants_nothing(granted: World) -> None:
    send_back(granted, **ALL_BACK)
    pay(granted)
    granted.run(until=granted.now + LATER)
    assert points(granted) == 0


def test_what_is_invalid_is_so_however_often_it_comes(granted: World) -> None:
    for _ in range(2):
        with pytest.raises(Invalid):
            send_back(
                granted, return_id="R1", lines=[{"line": "L1", "quantity": 1, "amount": "9"}], currency="USD"
            )  # fmt: skip
    assert points(granted) == 50


def grant_by_message(world: World) -> None:
    task = parse_task(redriven(json.dumps(task_body(row(world)))))
    for id in task.rewards():
        assert world.grant(id) == NotOwed(id)


def task_body(reward: Reward) -> dict[str, Any]:
    (group,) = task_of(reward).groups
    return {"groups": [{"shop_id": group.shop_id, "member_id": group.member_id,
                        "promotion_id": group.promotion_id, "orders": list(group.orders)}]}  # fmt: skip


def test_a_grant_s_message_after_it_was_done_grants_nothing_more(granted: World) -> None:
    grant_by_message(granted)
    assert points(granted) == 50


def test_a_grant_s_message_after_the_order_was_cancelled_grants_nothing(world: World) -> None:
    pay(world)
    send_back(world, **ALL_BACK)
    world.now += LATER
    grant_by_message(world)
    assert points(world) == 0


def dispatched_by_an_old_window(world: World, due: Due) -> list[Task]:
    """What the window that the row once stood in sends now."""
    kind, date, shard = due.partition.split("#")
    start = due.sort.split("#")[0]
    window = {"kind": kind, "date": date, "shard": int(shard), "start": start, "end": start.replace("T18", "T19")}
    queues = MemoryQueues()
    dispatch(
        parse_window(redriven(json.dumps(window))), MemoryDueIndex(world.ledger), queues, MemoryLists(),
        MemoryWindows(), shut=(), out_of_time=lambda: False,
    )  # fmt: skip
    return queues("grant_points_low").take()


def test_an_old_window_sends_what_it_still_finds_and_the_claim_pays_once(world: World) -> None:
    pay(world)
    due = row(world).due
    assert due
    twice = dispatched_by_an_old_window(world, due) + dispatched_by_an_old_window(world, due)
    assert len(twice) == 2
    world.now += LATER
    world.grants.send(twice)
    world.run()
    assert points(world) == 50
    assert dispatched_by_an_old_window(world, due) == []
