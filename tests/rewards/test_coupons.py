"""Coupons: issued once, and made void as far as they are not used, whatever comes back and when."""

from decimal import Decimal

import pytest

from rewards.order import ReturnedLine
from rewards.outcomes import Cancelled, Granted, NotOwed, Recycled, SentToRecycle, Shortfall, Unsettled, WaitsForWorker
from rewards.promotion import ECoupon, Tier
from rewards.provider import Member, Revoked
from rewards.reward import Reward, RewardId
from rewards.status import Status
from tests.builders import a_promotion, a_return, an_order
from tests.fakes.coupons import MemoryCoupons
from tests.fakes.world import LATER, World
from tests.rewards.events import paid, reversed_by

ORDER = an_order(lines=3)
ID = RewardId(*ORDER.id, "28343")
ONE_A_LINE = ECoupon("TEA", tiers=tuple(Tier(Decimal(1000 * count), quantity=count) for count in (1, 2, 3)))
ALL_BACK = reversed_by("R-all", a_return(), ORDER)


def back(line: str) -> object:
    return reversed_by(f"R-{line}", a_return([ReturnedLine(line, 1)]), ORDER)


@pytest.fixture
def due() -> World:
    """An order of three lines earned a coupon for each; they are due, and there are enough."""
    world = World(a_promotion(ONE_A_LINE))
    world.coupons.add_stock("1", "TEA", 10)
    world.tell(paid(ORDER))
    world.now += LATER
    return world


@pytest.fixture
def granted(due: World) -> World:
    assert due.grant(ID) == Granted(ID, 3)
    return due


def row(world: World) -> Reward:
    return world.ledger.rows[ID]


def states(world: World) -> list[str]:
    return [coupon.state for coupon in world.coupons.coupons()]


def test_coupons_are_issued_once_and_their_codes_kept(granted: World) -> None:
    assert granted.grant(ID) == NotOwed(ID)
    assert (row(granted).status, row(granted).points, row(granted).due) == (Status.REWARD, 3, None)
    assert row(granted).codes == tuple(coupon.code for coupon in granted.coupons.coupons())


def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(due: World) -> None:
    due.coupons.lose_replies = 1
    assert isinstance(due.grant(ID), Unsettled)
    assert due.grant(ID) == Granted(ID, 3)
    assert len(due.coupons.issues) == 1
    assert len(row(due).codes) == 3


def test_a_return_during_the_grant_makes_void_what_is_no_longer_earned(due: World) -> None:
    outcomes = []
    due.coupons.meanwhile = lambda: outcomes.extend(due.tell(back("L1")))
    assert due.grant(ID) == Granted(ID, 3)
    assert outcomes == [WaitsForWorker(ID)]
    due.run()
    assert sorted(states(due)) == ["issued", "issued", "revoked"]
    assert (row(due).recycle_points, row(due).due, row(due).return_pending) == (1, None, False)


def test_an_order_returned_before_its_coupons_were_issued_takes_none_from_the_stock(due: World) -> None:
    assert due.tell(ALL_BACK) == [Cancelled(ID)]
    assert due.grant(ID) == NotOwed(ID)
    assert due.coupons.stock("1", "TEA").left == 10


def test_all_that_came_back_makes_all_coupons_void(granted: World) -> None:
    assert granted.tell(ALL_BACK) == [SentToRecycle(ID)]
    assert granted.recycle(ID) == Recycled(ID, 3)
    assert granted.recycle(ID) == NotOwed(ID)
    assert states(granted) == ["revoked"] * 3
    assert (row(granted).recycle_points, row(granted).shortfall) == (3, 0)
    assert row(granted).revoked_codes == row(granted).codes


def test_a_coupon_used_before_the_return_is_final_and_not_tried_again(granted: World) -> None:
    for code in row(granted).codes:
        granted.coupons.use("1", code)
    granted.tell(ALL_BACK)
    assert granted.recycle(ID) == Shortfall(ID, 0, 3)
    after = row(granted)
    assert after.update_reason.startswith("not recyclable: used")
    assert (after.is_recycle, after.held) == (True, None)
    assert (after.recycle_points, after.shortfall, after.due) == (0, 3, None)
    granted.tell(ALL_BACK)
    granted.run()
    assert len(granted.coupons.revokes) == 1


def test_of_used_and_unused_coupons_the_unused_are_made_void(granted: World) -> None:
    granted.coupons.use("1", row(granted).codes[0])
    granted.tell(ALL_BACK)
    assert granted.recycle(ID) == Shortfall(ID, 2, 1)
    assert row(granted).update_reason.endswith("but for those used")
    assert states(granted) == ["used", "revoked", "revoked"]


def test_where_fewer_are_owed_back_than_are_there_unused_ones_go_first(granted: World) -> None:
    first, *_ = row(granted).codes
    granted.coupons.use("1", first)
    granted.tell(back("L1"))
    granted.run()
    assert states(granted) == ["used", "revoked", "issued"]
    assert (row(granted).recycle_points, row(granted).shortfall, row(granted).used_codes) == (1, 0, (first,))


@pytest.mark.parametrize("used", range(4))
def test_coupons_that_come_back_one_by_one_end_as_if_all_came_at_once(granted: World, used: int) -> None:
    for code in row(granted).codes[:used]:
        granted.coupons.use("1", code)
    taken = []
    for line in ("L1", "L2", "L3"):
        granted.tell(back(line))
        granted.run()
        taken.append(row(granted).recycle_points + row(granted).shortfall)
    assert taken == [1, 2, 3]
    assert (row(granted).recycle_points, row(granted).shortfall) == (3 - used, used)
    assert states(granted) == ["used"] * used + ["revoked"] * (3 - used)


def test_a_lost_answer_to_a_revoke_takes_nothing_back_twice(granted: World) -> None:
    granted.tell(ALL_BACK)
    granted.coupons.lose_replies = 1
    assert isinstance(granted.recycle(ID), Unsettled)
    assert granted.recycle(ID) == Recycled(ID, 3)
    assert (row(granted).recycle_points, len(granted.coupons.revokes)) == (3, 1)


def test_another_return_during_the_revoke_is_taken_back_too(granted: World) -> None:
    granted.tell(back("L1"))
    granted.coupons.meanwhile = lambda: granted.tell(back("L2"))
    granted.recycle(ID)
    granted.run()
    assert (row(granted).recycle_points, row(granted).due, row(granted).return_pending) == (2, None, False)


def test_a_code_the_provider_says_nothing_of_is_not_asked_for_for_ever(granted: World) -> None:
    granted.coupons = Forgetful()
    granted.tell(ALL_BACK)
    granted.run()
    assert (row(granted).recycle_points, row(granted).shortfall, row(granted).due) == (0, 3, None)


class Forgetful(MemoryCoupons):
    """A provider that has lost its books, and makes void what nobody asked for."""

    together = 25

    def revoke(self, key: str, member: Member, codes: tuple[str, ...]) -> Revoked:
        return Revoked(("somebody's",), ())


def test_points_and_coupons_of_one_order_come_and_go_each_by_itself() -> None:
    world = World(
        a_promotion(promotion_id="five percent"),
        a_promotion(promotion_id="on two lines", skus=("SKU-L1", "SKU-L2")),
        a_promotion(ECoupon("TEA", quantity=1), promotion_id="tea", skus=("SKU-L3",)),
    )
    world.coupons.add_stock("1", "TEA", 1)
    world.tell(paid(ORDER))
    world.run(until=world.now + LATER)
    assert rows_of(world) == {"five percent": (150, 0, 0), "on two lines": (100, 0, 0), "tea": (1, 0, 0)}

    world.coupons.use("1", world.coupons.coupons()[0].code)
    world.tell(back("L3"))
    world.run()
    assert rows_of(world) == {"five percent": (150, 50, 0), "on two lines": (100, 0, 0), "tea": (1, 0, 1)}

    world.tell(back("L1"))
    world.run()
    assert rows_of(world) == {"five percent": (150, 100, 0), "on two lines": (100, 50, 0), "tea": (1, 0, 1)}
    assert world.points.balances[Member("1", "M1")] == 100


def rows_of(world: World) -> dict[str, tuple[int, int, int]]:
    """Granted, taken back and not to be had, by promotion."""
    return {row.id.promotion_id: (row.points, row.recycle_points, row.shortfall) for row in world.ledger.rows.values()}
