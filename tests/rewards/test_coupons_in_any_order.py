"""Stock comes and goes, replies get lost, coupons are used and orders come back: the books always add up."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from rewards.entitlement import entitled
from rewards.order import ReturnedLine
from rewards.promotion import ECoupon, Tier
from rewards.reward import RewardId
from rewards.status import Status
from tests.builders import a_promotion, a_return, an_order
from tests.fakes.audited import findings_of
from tests.fakes.world import STOCK_PATIENCE, World
from tests.rewards.events import paid, reversed_by

ORDER = an_order(lines=3)
ID = RewardId(*ORDER.id, "28343")
ONE_A_LINE = ECoupon("TEA", tiers=tuple(Tier(Decimal(1000 * count), quantity=count) for count in (1, 2, 3)))
ENOUGH = 3


def pay(world: World) -> None:
    world.tell(paid(ORDER))


def restock(world: World) -> None:
    world.coupons.add_stock("1", "TEA", 1)


def use(world: World) -> None:
    for coupon in world.coupons.coupons():
        if world.coupons.use("1", coupon.code):
            return


def work(world: World) -> None:
    world.run()


def lose_a_reply(world: World) -> None:
    world.coupons.lose_replies += 1


def wait(world: World) -> None:
    world.now += STOCK_PATIENCE / 4


def come_back(line: str) -> Callable[[World], None]:
    return lambda world: world.tell(reversed_by(line, a_return([ReturnedLine(line, 1)]), ORDER))


def come_back_while_the_provider_works(world: World) -> None:
    world.coupons.meanwhile = lambda: come_back("L2")(world)


HAPPENINGS = (pay, restock, use, work, lose_a_reply, wait, come_back("L1"), come_back("L3"))


@given(st.lists(st.sampled_from((*HAPPENINGS, come_back_while_the_provider_works)), max_size=14), st.booleans())
def test_every_coupon_is_where_the_row_says(story: list[Callable[[World], None]], loses_messages: bool) -> None:
    world = World(a_promotion(ONE_A_LINE, days=0), loses_messages=loses_messages)
    for happen in [*story, pay]:
        happen(world)
    world.coupons.add_stock("1", "TEA", ENOUGH)
    for _ in range(2):
        world.run(until=world.now + STOCK_PATIENCE / 2)

    row = world.ledger.rows[ID]
    states = Counter(coupon.state for coupon in world.coupons.coupons())
    assert {coupon.code for coupon in world.coupons.coupons()} == set(row.codes)
    assert (states["revoked"], len(row.codes)) == (row.recycle_points, row.points * row.is_reward)
    assert row.shortfall <= states["used"]
    assert (row.lock, row.return_pending, row.due) == (None, False, None)
    if row.held:
        assert (row.held.kind, row.status) == ("expired", Status.WAIT)
    else:
        assert row.outstanding == entitled(row.rule, world.ledger.orders[ORDER.id], row.lines).points
    assert not findings_of(world)
