"""Members are merged between grant and return: what is taken back comes from the account the return names."""

from datetime import timedelta

import pytest

from rewards.order import Return, ReturnedLine
from rewards.outcomes import Recycled, Shortfall, Unsettled
from rewards.provider import Member
from rewards.reward import RewardId
from tests.builders import ORDERED_AT, a_promotion, a_return, an_order
from tests.fakes.world import LATER, World
from tests.rewards.events import paid, reversed_by

ORDER = an_order(lines=2)
ID = RewardId("1", ORDER.id.order_group, "28343")
M1, M2, M3 = (Member("1", name) for name in ("M1", "M2", "M3"))


def one_line(line: str, member_id: str | None, *, days: int = 0) -> Return:
    at = ORDERED_AT + timedelta(days=days)
    return a_return([ReturnedLine(line, 1)], member_id=member_id, occurred_at=at)


@pytest.fixture
def granted() -> World:
    """M1 was granted 100 points for two lines; then all that M1 had went to M2."""
    world = World(a_promotion())
    world.tell(paid(ORDER))
    world.run(until=world.now + LATER)
    assert world.points.balances[M1] == 100
    world.points.balances[M1], world.points.balances[M2] = 0, 100
    return world


def reason(world: World) -> str:
    return world.ledger.rows[ID].update_reason


def test_the_account_that_the_return_names_is_asked(granted: World) -> None:
    granted.tell(reversed_by("R1", a_return(member_id="M2")))
    assert granted.recycle(ID) == Recycled(ID, 100)
    assert (granted.points.balances[M1], granted.points.balances[M2]) == (0, 0)
    assert reason(granted) == "recycled from M2, whom the return names"
    assert granted.ledger.rows[ID].member_id == "M1", "whom it was granted to"


def test_the_account_granted_to_is_asked_if_the_return_names_none(granted: World) -> None:
    granted.points.balances[M1] = 100
    granted.tell(reversed_by("R1", a_return()))
    assert granted.recycle(ID) == Recycled(ID, 100)
    assert (granted.points.balances[M1], granted.points.balances[M2]) == (0, 100)
    assert reason(granted) == "recycled from M1"


def test_what_the_named_account_does_not_cover_is_a_shortfall(granted: World) -> None:
    granted.points.balances[M1], granted.points.balances[M2] = 70, 30
    granted.tell(reversed_by("R1", a_return(member_id="M2")))
    assert granted.recycle(ID) == Shortfall(ID, 30, 70)
    assert granted.points.balances[M1] == 70
    assert reason(granted) == "recycled from M2, whom the return names, as far as the balance went"


@pytest.mark.parametrize(("days", "asked"), [((1, 2), M3), ((2, 1), M2)])
def test_of_several_returns_the_one_that_happened_last_says_who_it_is(
    granted: World, days: tuple[int, int], asked: Member
) -> None:
    granted.points.balances.update({M2: 100, M3: 100})
    before = dict(granted.points.balances)
    granted.tell(reversed_by("R1", one_line("L1", "M2", days=days[0])))
    granted.tell(reversed_by("R2", one_line("L2", "M3", days=days[1])))
    granted.tell(reversed_by("R3", one_line("unknown", None, days=3)))
    granted.run()
    assert granted.points.balances[asked] == before[asked] - 100


def test_a_retry_asks_the_account_that_was_asked_first(granted: World) -> None:
    """Its reply was lost, and a later return names another one: the same key asked of two accounts takes twice."""
    granted.points.lose_replies = 1
    granted.tell(reversed_by("R1", one_line("L1", "M2", days=1)))
    assert isinstance(granted.recycle(ID), Unsettled)
    granted.points.balances[M3] = 100
    granted.tell(reversed_by("R2", one_line("L2", "M3", days=2)))
    assert granted.recycle(ID) == Recycled(ID, 50)
    assert reason(granted) == "recycled from M2, whom the return names"
    granted.run()
    assert reason(granted) == "recycled from M3, whom the return names"
    assert (granted.points.balances[M2], granted.points.balances[M3]) == (50, 50)
    assert granted.ledger.rows[ID].recycle_points == 100
