"""Files come twice, overlap, arrive late and in any order; what the member holds in the end does not depend on it."""

from hypothesis import given
from hypothesis import strategies as st

from rewards.crm_orders import CrmOrder
from rewards.entitlement import entitled
from rewards.provider import Member
from rewards.status import Status
from tests.builders import a_line, a_promotion, tiers
from tests.fakes.audited import findings_of
from tests.fakes.world import LATER, World
from tests.rewards.crm import a_crm_order, a_crm_return

LINES = (a_line("L1", "999.90", quantity=3), a_line("L2", "1000"), a_line("L3", "0.10"))
RETURNS = (
    a_crm_return("L1", "333.30", return_id="R1"),
    a_crm_return("L1", "600", quantity=2, return_id="R2"),
    a_crm_return("L2", return_id="R2"),
    a_crm_return("L3", "0.10"),
)
PROMOTIONS = (
    a_promotion(promotion_id="rate"),
    a_promotion(tiers((500, 10), (1500, 90)), promotion_id="tiers", skus=("SKU-L1", "SKU-L2")),
    a_promotion(promotion_id="at once", days=0),
    a_promotion(promotion_id="online only", sources=("ECom",)),
)
M1 = Member("1", "M1")

returns = st.lists(st.sampled_from(RETURNS), unique=True).map(tuple)


@st.composite
def files(draw: st.DrawFn) -> list[CrmOrder]:
    """An order in files of its own returns, in any order, each at least once, with the whole sale in one or more."""
    told = draw(returns)
    whole = a_crm_order(*LINES, returns=told)
    parts = [a_crm_order(returns=[each]) for each in told] + [a_crm_order(*LINES)]
    return draw(st.permutations([*parts, *draw(st.lists(st.sampled_from([whole, *parts]), max_size=4))]))


def settled(world: World, told: list[CrmOrder], *, works: list[bool]) -> World:
    for each, is_worked in zip(told, works, strict=True):
        world.take_in(each)
        if is_worked:
            world.run(until=world.now + LATER)
    world.run(until=world.now + LATER)
    return world


@given(files(), st.data(), st.booleans())
def test_the_member_ends_up_with_what_the_kept_lines_earn(
    told: list[CrmOrder], data: st.DataObject, loses_messages: bool
) -> None:
    works = data.draw(st.lists(st.booleans(), min_size=len(told), max_size=len(told)))
    world = settled(World(*PROMOTIONS, loses_messages=loses_messages), told, works=works)
    (order,) = world.ledger.orders.values()
    assert order.lines == LINES
    rows = world.ledger.rows.values()
    assert {row.id.promotion_id for row in rows} == {"rate", "tiers", "at once"}
    for row in rows:
        assert row.outstanding == entitled(row.rule, order, row.lines).points
        assert row.status in (Status.REWARD, Status.CANCEL)
        assert (row.due, row.lock, row.held) == (None, None, None)
    assert world.points.balances[M1] == sum(row.outstanding for row in rows)
    assert not findings_of(world)


@given(st.permutations(LINES), returns, st.permutations(range(3)))
def test_a_sale_in_pieces_earns_what_the_whole_sale_earns(lines: list, told: tuple, order: list[int]) -> None:
    whole, pieces = World(*PROMOTIONS[:2]), World(*PROMOTIONS[:2])
    settled(whole, [a_crm_order(*LINES, returns=told)], works=[False])
    parts = [a_crm_order(line, returns=told if place == 0 else ()) for place, line in enumerate(lines)]
    settled(pieces, [parts[place] for place in order], works=[False] * 3)
    assert pieces.points.balances == whole.points.balances
