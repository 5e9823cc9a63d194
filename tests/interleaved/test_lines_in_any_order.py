"""An order of which nobody ever tells the whole: placed with some lines, paid with others, the rest in later files.

The model is as simple as can be. A reward counts the lines that its promotion counts, of those the order had when it
was granted, or has in the end where it never was; and the member has what these earn of what was kept.
"""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rewards.crm_orders import CrmReturn
from rewards.entitlement import entitled
from rewards.ledger import Contended
from rewards.matching import eligible_lines
from rewards.order import Line, OrderId
from rewards.promotion import Days, LoyaltyPoints, Promotion, Quota
from rewards.provider import Member, NotNow
from rewards.reward import Reward, RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_line, a_promotion, a_return, an_order, tiers
from tests.fakes.audited import findings_of
from tests.fakes.ledger import MemoryLedger
from tests.fakes.world import LATER, World
from tests.rewards.crm import a_crm_order, a_crm_return
from tests.rewards.events import failed, paid, placed, reversed_by, shipped
from tests.soak import IS_SOAK

ID = OrderId("1", "TG20193021")
LINES = (
    a_line("L1", "999.90", quantity=3),
    a_line("L2", "1000"),
    a_line("L3", "0.10"),
    a_line("L4", "512", quantity=2),
)
HELD = Quota(total=1, per_member=1, occupy=True)
PROMOTIONS = (
    a_promotion(promotion_id="rate", skus=("SKU-L1", "SKU-L4")),
    a_promotion(LoyaltyPoints(points=70), promotion_id="at once", days=0, min_amount=Decimal(1000)),
    a_promotion(tiers((500, 10), (2000, 90)), promotion_id="tiers", exclude_skus=("SKU-L3",)),
    a_promotion(promotion_id="shipped", timing=Days(7, "shipped", before_shipping="ordered")),
    a_promotion(promotion_id="held", quota=HELD, exclude_skus=("SKU-L2",)),
    a_promotion(LoyaltyPoints(points=10), promotion_id="held at once", days=0, quota=HELD, skus=("SKU-L1", "SKU-L3")),
)
Happening = Callable[[World], object]


def place(lines: list[Line]) -> Happening:
    return lambda world: world.tell(placed(an_order(lines, source="Others")))


def pay(lines: list[Line]) -> Happening:
    return lambda world: world.tell(paid(an_order(lines, source="Others")))


def a_file_has(lines: list[Line], back: list[CrmReturn]) -> Happening:
    return lambda world: world.take_in(a_crm_order(*lines, returns=back))


def work(world: World) -> None:
    world.run()


def wait(minutes: int) -> Happening:
    def pass_by(world: World) -> None:
        world.now += timedelta(minutes=minutes)

    return pass_by


def have_no_answer(world: World) -> None:
    world.points.instead.append(NotNow("busy"))


def lose_a_reply(world: World) -> None:
    world.points.lose_replies += 1


class RememberingLedger(MemoryLedger):
    """Which lines the order had when a reward was granted."""

    def __init__(self) -> None:
        super().__init__()
        self.granted_for: dict[RewardId, tuple[Line, ...]] = {}

    def write_reward(self, before: Reward, after: Reward) -> bool:
        is_written = super().write_reward(before, after)
        if is_written and after.status is Status.REWARD:
            self.granted_for.setdefault(after.id, self.orders[after.id.order].lines)
        return is_written


class Told:
    """An order as it is told; what a worker was in the way of is told once more later."""

    def __init__(self, *promotions: Promotion) -> None:
        self.world = World(*promotions)
        self.world.ledger = self.ledger = RememberingLedger()
        self._again: list[Happening] = []

    def tell(self, happening: Happening) -> None:
        try:
            happening(self.world)
        except Contended:
            self._again.append(happening)

    def tell_in_mid_call(self, happening: Happening) -> None:
        self.world.points.meanwhile = lambda: self.tell(happening)

    def owed(self, promotion: Promotion) -> int:
        """What it comes to in the end."""
        order = self.ledger.orders.get(ID, an_order(lines=0))
        lines = self.ledger.granted_for.get(RewardId(*ID, promotion.promotion_id), order.lines)
        counted = replace(order, lines=lines)
        return entitled(promotion.rule, counted, eligible_lines(promotion, counted)).points if order.is_paid else 0

    def come_to_rest(self) -> None:
        for _ in range(2):  # by then no worker is in the way
            self.world.run(until=self.world.now + LATER)
            again, self._again = self._again, []
            for happening in again:
                self.tell(happening)
        self.world.run(until=self.world.now + LATER)
        assert not self._again


some_lines = st.lists(st.sampled_from(LINES), min_size=1, unique=True)
a_row_back = st.builds(
    lambda line, quantity, told_as: a_crm_return(
        line.line, min(line.amount, Decimal(300)), quantity=quantity, return_id=told_as
    ),
    *(st.sampled_from(LINES), st.integers(1, 3), st.sampled_from([None, "R1", "R2"])),
)
news = st.one_of(
    some_lines.map(place),
    some_lines.map(pay),
    st.builds(a_file_has, some_lines, st.lists(a_row_back, max_size=2)),
    st.builds(a_file_has, st.just([]), st.lists(a_row_back, min_size=1, max_size=2)),
    st.just(lambda world: world.tell(reversed_by("R3", a_return()))),
    st.just(lambda world: world.tell(failed(an_order()))),
    st.integers(0, 9).map(lambda days: lambda world: world.tell(shipped(ORDERED_AT + timedelta(days)))),
)
elsewhere = st.sampled_from([work, wait(3), wait(120), wait(8 * 24 * 60), have_no_answer, lose_a_reply])
stories = st.lists(news | elsewhere | news.map(lambda happening: (happening,)), max_size=12)


@settings(max_examples=50_000 if IS_SOAK else 1_000)
@given(st.lists(st.sampled_from(PROMOTIONS), min_size=1, max_size=3, unique=True), stories)
def test_a_reward_is_for_the_lines_that_count_of_those_it_was_granted_for(
    promotions: list[Promotion], story: list[Happening | tuple[Happening]]
) -> None:
    told = Told(*promotions)
    for happening in story:
        if isinstance(happening, tuple):
            told.tell_in_mid_call(*happening)
        else:
            told.tell(happening)
    told.come_to_rest()
    outstanding = {row.id.promotion_id: row.outstanding for row in told.ledger.rows.values()}
    for promotion in promotions:
        assert outstanding.get(promotion.promotion_id, 0) == told.owed(promotion)
    assert told.world.points.balances[Member("1", "M1")] == sum(outstanding.values())
    assert not any(row.due or row.lock or row.return_pending for row in told.ledger.rows.values())
    assert not findings_of(told.world)
