"""Two imports of an order at once: one happens wholly between any two steps of the other, and nothing doubles."""

from collections.abc import Callable
from typing import Any

import pytest

from rewards.crm_orders import CrmOrder
from rewards.order import OrderId, ReturnedLine
from tests.builders import a_line, a_promotion, an_order
from tests.fakes.ledger import MemoryLedger
from tests.fakes.world import World
from tests.rewards.crm import a_crm_order, a_crm_return
from tests.rewards.events import paid

LINES = (a_line("L1", "3000", quantity=3), a_line("L2"))
SOLD = a_crm_order(*LINES)
BACK = a_crm_order(*LINES, returns=[a_crm_return("L1", quantity=2, amount="2000"), a_crm_return("L2")])
FIRST, SECOND = a_crm_order(LINES[0]), a_crm_order(LINES[1])
LESS = a_crm_order(returns=[a_crm_return("L1")])
STEPS = range(1, 15)
CALLS = ("order", "reward", "rewards", "write_order", "write_reward", "decide")


class InterruptedLedger(MemoryLedger):
    """Before the call of that number something else happens."""

    def __init__(self, of: MemoryLedger, number: int, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self.orders, self.rows = of.orders, of.rows
        self.left = number
        self.meanwhile = meanwhile

    def __getattribute__(self, name: str) -> Any:
        if name in CALLS:
            self.left -= 1
            if self.left == 0:
                self.meanwhile()
        return super().__getattribute__(name)


def take_in_at_once(world: World, one: CrmOrder, other: CrmOrder, step: int) -> None:
    """`other` happens before that step of `one`; after it, if it has no such step."""
    ledger = InterruptedLedger(world.ledger, step, lambda: world.take_in(other))
    world.ledger = ledger
    world.take_in(one)
    if ledger.left > 0:
        world.take_in(other)


def state(world: World) -> object:
    """What the order and its rewards say, but for how often they were written."""
    (order,) = world.ledger.orders.values()
    rows = [(row.status, row.points, row.base_amount, row.booking_time) for row in world.ledger.rows.values()]
    return {line.line for line in order.lines}, order.returns, rows


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("known", [None, SOLD, FIRST])
@pytest.mark.parametrize(("one", "other"), [(SOLD, SOLD), (BACK, BACK), (BACK, SOLD), (SOLD, BACK), (FIRST, SECOND)])
def test_it_comes_to_what_one_after_the_other_comes_to(
    known: CrmOrder | None, one: CrmOrder, other: CrmOrder, step: int
) -> None:
    at_once, in_turn = World(a_promotion()), World(a_promotion())
    for world in (at_once, in_turn):
        world.take_in(*[known] if known else [])
    take_in_at_once(at_once, one, other, step)
    in_turn.take_in(one, other)
    assert state(at_once) == state(in_turn)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("one", "other"), [(BACK, BACK), (BACK, LESS), (LESS, BACK)])
def test_what_an_online_order_has_back_in_all_is_withdrawn_once(one: CrmOrder, other: CrmOrder, step: int) -> None:
    world = World(a_promotion())
    world.tell(paid(an_order(LINES)))
    take_in_at_once(world, one, other, step)
    returns = world.ledger.orders[OrderId("1", "TG20193021")].returns.values()
    pieces = [each for told in returns for each in told.lines if isinstance(each, ReturnedLine)]
    assert sum(each.quantity for each in pieces if each.line == "L1") == 2
    assert sum(each.amount or 0 for each in pieces if each.line == "L1") == 2000
