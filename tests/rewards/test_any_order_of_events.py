"""Events come twice, late and in any order; what the member holds in the end does not depend on it."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from rewards.entitlement import entitled
from rewards.order import Return, ReturnedLine
from rewards.promotion import Days, LoyaltyPoints, Quota
from rewards.provider import Member
from rewards.status import Status
from tests.builders import ORDERED_AT, a_line, a_promotion, a_return, an_order, tiers
from tests.fakes.audited import findings_of
from tests.fakes.world import LATER, Event, World
from tests.rewards.events import failed, paid, placed, reversed_by, shipped

ORDER = an_order([a_line("L1", "999.90", quantity=3), a_line("L2", "1000"), a_line("L3", "0.10")])
PROMOTIONS = (
    a_promotion(promotion_id="rate"),
    a_promotion(LoyaltyPoints(points=70), promotion_id="at once", days=0, min_amount=Decimal(1000)),
    a_promotion(tiers((500, 10), (2000, 90), max_points=80), promotion_id="tiers", skus=("SKU-L1", "SKU-L2")),
    a_promotion(promotion_id="shipped", timing=Days(7, "shipped")),
    a_promotion(promotion_id="provisional", timing=Days(7, "shipped", before_shipping="ordered")),
    a_promotion(promotion_id="held", quota=Quota(total=1, per_member=1, occupy=True)),
    a_promotion(promotion_id="limited", quota=Quota(total=1)),
    a_promotion(promotion_id="other shop's", sources=("Others",)),
)
PLACED, PAID, FAILED = placed(ORDER), paid(ORDER), failed(ORDER)
SHIPPED = [shipped(ORDERED_AT + timedelta(days=days), ORDER) for days in (2, 5)]


@dataclass
class Happening:
    """An event, whether the workers get a chance before it, and whether much time passes first."""

    event: Event
    works: bool
    waits: bool


returned_lines = st.builds(
    ReturnedLine,
    line=st.sampled_from(["L1", "L2", "L3", "unknown"]),
    quantity=st.integers(1, 3),
    amount=st.none() | st.decimals("0", "1000", places=2),
)
returns = st.lists(st.just(a_return()) | st.lists(returned_lines, min_size=1, max_size=3).map(a_return), max_size=4)


@st.composite
def happenings(draw: st.DrawFn) -> tuple[list[Return], list[Happening]]:
    """Everything that happened to the order, each at least once, in an order of its own."""
    told = draw(returns)
    reversals = [reversed_by(f"R{number}", returned) for number, returned in enumerate(told)]
    events = [PLACED, PAID, FAILED, *SHIPPED, *reversals]
    repeated = events + draw(st.lists(st.sampled_from(events), max_size=4))
    shuffled = draw(st.permutations(repeated))
    return told, [Happening(event, draw(st.booleans()), draw(st.booleans())) for event in shuffled]


@given(happenings(), st.booleans(), st.integers(0, 3))
def test_the_member_ends_up_with_what_the_kept_lines_earn(
    story: tuple[list[Return], list[Happening]], loses_messages: bool, lost_replies: int
) -> None:
    told, events = story
    world = World(*PROMOTIONS, loses_messages=loses_messages)
    world.points.lose_replies = lost_replies
    for happening in events:
        if happening.waits:
            world.now += LATER
        if happening.works:
            world.run()
        world.tell(happening.event)
    world.run(until=world.now + LATER)

    kept = an_order(ORDER.lines, returns={f"R{number}": returned for number, returned in enumerate(told)})
    rows = {row.id.promotion_id: row for row in world.ledger.rows.values()}
    assert set(rows) == {"rate", "at once", "tiers", "shipped", "provisional", "held", "limited"}
    owed = {id: entitled(row.rule, kept, row.lines).points for id, row in rows.items()}
    assert {id: row.outstanding for id, row in rows.items()} == owed
    assert world.points.balances[Member("1", "M1")] == sum(owed.values())
    assert all(row.status in (Status.REWARD, Status.CANCEL) for row in rows.values()), "nothing is left waiting"
    assert not any(row.due or row.lock or row.return_pending or row.held for row in rows.values())
    assert {id for id, row in rows.items() if row.place} == {
        id for id in ("held", "limited") if rows[id].status is Status.REWARD
    }
    assert places_taken(world) == places_held(world)
    assert not findings_of(world)


RIVAL = an_order(ORDER.lines, order_group="TG2", member_id="M2")
RUSH = [event for order in (ORDER, RIVAL) for event in (placed(order), failed(order), paid(order))]
RUSH += [reversed_by("R1", a_return(), order) for order in (ORDER, RIVAL)]


@given(st.permutations(RUSH * 2), st.lists(st.booleans(), min_size=2 * len(RUSH), max_size=2 * len(RUSH)))
def test_two_orders_after_one_place_never_both_have_it_and_give_it_back_once(
    story: list[Event], waits: list[bool]
) -> None:
    world = World(*(promotion for promotion in PROMOTIONS if promotion.quota))
    for event, wait in zip(story, waits, strict=True):
        if wait:
            world.run(until=world.now + timedelta(minutes=31))
        world.tell(event)
        assert places_taken(world) == places_held(world)
        assert all(count <= 1 for count in world.ledger.taken.values())
    world.run(until=world.now + LATER)
    assert places_taken(world) == places_held(world)
    assert all(row.status in (Status.REWARD, Status.CANCEL, Status.NO_QUOTA) for row in world.ledger.rows.values())
    assert not any(row.due for row in world.ledger.rows.values())
    assert not findings_of(world)


def places_taken(world: World) -> int:
    return world.ledger.taken.total()


def places_held(world: World) -> int:
    """A place of the total is one, and the member's is another."""
    places = [row.place for row in world.ledger.rows.values() if row.place]
    return sum((place.shard is not None) + place.of_member for place in places)


@given(st.permutations(["L1", "L1", "L1", "L2", "L3"]))
def test_partial_returns_in_any_order_take_back_exactly_what_one_full_return_would(pieces: list[str]) -> None:
    world = World(*PROMOTIONS)
    world.tell(PAID)
    world.tell(SHIPPED[0])
    world.run(until=world.now + LATER)
    granted = sum(row.points for row in world.ledger.rows.values())
    assert world.points.balances[Member("1", "M1")] == granted > 0
    taken = 0
    for number, line in enumerate(pieces):
        world.promotions.stored.clear()  # a rule that was changed or deleted since does not matter
        world.tell(reversed_by(f"R{number}", a_return([ReturnedLine(line, 1)])))
        world.run()
        now_taken = granted - world.points.balances[Member("1", "M1")]
        assert taken <= now_taken <= granted, "what was taken rises step by step"
        taken = now_taken
    assert taken == granted
    assert all(row.recycle_points == row.points for row in world.ledger.rows.values())
    assert not findings_of(world)
