"""Attempts to pay: one that failed says nothing of another that did not, whichever is told last."""

from collections.abc import Callable

import pytest

from rewards.outcomes import Booked, NotHeldBack, Unsettled
from rewards.promotion import Quota
from rewards.provider import Member
from rewards.reward import RewardId
from rewards.status import Status
from tests.builders import a_promotion, a_return
from tests.fakes.world import LATER, World
from tests.rewards.events import PAID, failed, placed, reversed_by

ORDER = PAID.order
ID = RewardId("1", ORDER.id.order_group, "28343")
M1 = Member("1", "M1")
HOLDS_A_PLACE = a_promotion(quota=Quota(total=1, occupy=True))


def waits(world: World) -> None:
    world.tell(PAID)


def claimed(world: World) -> None:
    world.tell(PAID)
    world.now += LATER
    world.points.lose_replies = 1
    assert isinstance(world.grant(ID), Unsettled)


def granted(world: World) -> None:
    world.tell(PAID)
    world.run(until=world.now + LATER)


def taken_back(world: World) -> None:
    granted(world)
    world.tell(reversed_by("R1", a_return()))
    world.run()


@pytest.mark.parametrize("is_placed", [True, False])
@pytest.mark.parametrize("reached", [waits, claimed, granted, taken_back])
def test_an_earlier_attempt_that_failed_changes_nothing_of_what_is_paid(
    reached: Callable[[World], None], is_placed: bool
) -> None:
    world = World(HOLDS_A_PLACE)
    if is_placed:
        world.tell(placed(ORDER))
    reached(world)
    before = dict(world.ledger.orders), dict(world.ledger.rows), dict(world.points.balances)
    assert world.tell(failed(ORDER)) == [NotHeldBack(ORDER.id)]
    assert (world.ledger.orders, world.ledger.rows, world.points.balances) == before


def test_an_attempt_that_does_not_fail_earns_however_many_failed_before() -> None:
    world = World(HOLDS_A_PLACE)
    world.tell(placed(ORDER))
    for attempt in ("1", "2", "3"):
        world.tell(failed(ORDER, attempt))
    assert world.ledger.rows[ID].status is Status.CANCEL
    assert world.tell(PAID) == [Booked(ID)]
    world.run(until=world.now + LATER)
    assert world.points.balances[M1] == 50
