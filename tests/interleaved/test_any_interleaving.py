"""Whatever happens at once, in whatever order: in the end the member has what the kept lines earn, once.

Workers are in the middle of their work at any time and go on call by call. Events come twice, late and in any order,
leases end under living workers, workers die, providers fail, rules change, tasks get lost, runs are missed, and parked
rewards are redriven. The model is as simple as can be: for each reward what its stored rule gives for what was kept.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rewards.entitlement import entitled
from rewards.identifiers import split
from rewards.order import ReturnedLine
from rewards.promotion import Days, ECoupon, LoyaltyPoints, Quota
from rewards.provider import Member, NotNow, Refused, Unknown
from rewards.reward import Reward
from rewards.status import Status
from tests.builders import ORDERED_AT, a_line, a_promotion, a_return, an_order, tiers
from tests.fakes.world import Event
from tests.interleaved.shop import Shop
from tests.interleaved.workers import Worker
from tests.rewards.events import failed, paid, placed, reversed_by, shipped
from tests.soak import IS_SOAK

SETTINGS = settings(max_examples=10_000 if IS_SOAK else 100, stateful_step_count=60, deadline=None)

ORDER = an_order([a_line("L1", "900", quantity=3), a_line("L2", "600")])
MEMBER = Member("1", "M1")
PROMOTIONS = (
    a_promotion(promotion_id="rate", days=1),
    a_promotion(tiers((300, 10), (1000, 90)), promotion_id="at once", days=0),
    a_promotion(ECoupon("TEA", quantity=1), promotion_id="coupon", days=0),
    a_promotion(promotion_id="held", days=0, quota=Quota(total=1, per_member=1, occupy=True)),
    a_promotion(promotion_id="shipped", timing=Days(1, "shipped", before_shipping="ordered")),
)
CHANGED = a_promotion(LoyaltyPoints(points=33), promotion_id="rate", days=0)
RIVAL = an_order(order_group="TG2", member_id="M2")
PAID = paid(ORDER)
EVENTS: list[Event] = [
    placed(ORDER),
    PAID,
    failed(ORDER),
    shipped(ORDERED_AT + timedelta(days=2), ORDER),
    reversed_by("R1", a_return([ReturnedLine("L1", 1)]), ORDER),
    reversed_by("R2", a_return([ReturnedLine("L2", 1)]), ORDER),
    reversed_by("R3", a_return(), ORDER),
    placed(RIVAL),
]


def time_passes(shop: Shop, **how: int) -> None:
    shop.world.now += timedelta(**how)


def a_reply_gets_lost(shop: Shop) -> None:
    shop.points.lose_replies += 1
    shop.coupons.lose_replies += 1


MEANWHILE: list[Callable[[Shop], object]] = [
    partial(time_passes, minutes=3),
    partial(time_passes, hours=1),
    partial(time_passes, days=2),
    a_reply_gets_lost,
    lambda shop: shop.coupons.add_stock("1", "TEA", 1),
    lambda shop: shop.points.instead.append(NotNow("busy")),
    lambda shop: shop.points.instead.append(Unknown("no reply")),
    lambda shop: shop.points.instead.append(Refused("no such member")),
    lambda shop: shop.store(CHANGED),
    Shop.lose_tasks,
]
SOME = st.integers(0, 999)
CALLS = st.integers(1, 6) | st.just(100)
"""A few, or as many as it takes to the end."""


class AnyInterleaving(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.shop = Shop(*PROMOTIONS)

    @initialize(events=st.lists(st.sampled_from(EVENTS), max_size=3))
    def it_begins(self, events: list[Event]) -> None:
        """Most of what can go wrong goes wrong after the payment."""
        for event in [*events, PAID]:
            self.an_event_comes(event)

    @rule(event=st.sampled_from(EVENTS))
    def an_event_comes(self, event: Event) -> None:
        self.shop.tell(event)

    @precondition(lambda self: len(self.shop.workers) < 4 and self.shop.to_do())
    @rule(which=SOME, calls=CALLS)
    def a_worker_begins(self, which: int, calls: int) -> None:
        to_do = self.shop.to_do()
        self.shop.start(to_do[which % len(to_do)])
        self.shop.go_on(self.shop.workers[-1], calls)

    @precondition(lambda self: self.shop.workers)
    @rule(which=SOME, calls=CALLS)
    def a_worker_goes_on(self, which: int, calls: int) -> None:
        self.shop.go_on(self._worker(which), calls)

    @precondition(lambda self: self.shop.workers)
    @rule(which=SOME)
    def a_worker_dies(self, which: int) -> None:
        self.shop.die(self._worker(which))

    @rule(happen=st.sampled_from(MEANWHILE))
    def meanwhile(self, happen: Callable[[Shop], object]) -> None:
        happen(self.shop)

    @invariant()
    def a_place_is_taken_for_each_that_is_held(self) -> None:
        places = [row.place for row in self.shop.rows if row.place]
        held = sum((place.shard is not None) + place.of_member for place in places)
        assert self.shop.ledger.taken.total() == held
        assert all(count <= 1 for count in self.shop.ledger.taken.values())

    @invariant()
    def nothing_is_given_twice(self) -> None:
        given = Counter(tuple(split(key)[:3]) for key in self.shop.points.entries if "grant" in split(key))
        assert all(times == 1 for times in given.values())
        assert len(self.shop.coupons.coupons()) <= 1

    def teardown(self) -> None:
        """Whatever it was, it ends well."""
        try:
            self.shop.coupons.add_stock("1", "TEA", 1)
            self.shop.come_to_rest()
            self.check_the_end()
        finally:
            for worker in [*self.shop.workers]:
                self.shop.die(worker)

    def check_the_end(self) -> None:
        for row in self.shop.rows:
            assert (row.due, row.lock, row.return_pending) == (None, None, False), row
            assert row.status in (Status.REWARD, Status.CANCEL, Status.NO_QUOTA), row
            assert row.rule in self.shop.rules
            assert row.outstanding == self._owed(row), row
        points = [row.outstanding for row in self.shop.rows if row.reward_type == "LoyaltyPoints"]
        assert self.shop.points.balances[MEMBER] == sum(points)
        states = Counter(coupon.state for coupon in self.shop.coupons.coupons())
        assert states["issued"] == sum(row.outstanding for row in self.shop.rows if row.reward_type == "ECoupon")

    def _owed(self, row: Reward) -> int:
        """What the kept lines earn by the rule that was copied, if the order was paid and had a place."""
        order = self.shop.ledger.orders[row.id.order]
        is_owed = order.is_paid and row.status is not Status.NO_QUOTA
        return entitled(row.rule, order, row.lines).points if is_owed else 0

    def _worker(self, which: int) -> Worker:
        return self.shop.workers[which % len(self.shop.workers)]


TestAnyInterleaving = AnyInterleaving.TestCase
TestAnyInterleaving.settings = SETTINGS


class OnACarelessLedger(AnyInterleaving):
    """One that writes over any version."""

    def __init__(self) -> None:
        super().__init__()
        self.shop.ledger._fits = lambda *_: True  # type: ignore[method-assign]


class WithAForgetfulProvider(AnyInterleaving):
    """One that does not know a key again."""

    def __init__(self) -> None:
        super().__init__()
        self.shop.points.entries = Forgetting()


class Forgetting(dict[str, int]):
    def __contains__(self, key: object) -> bool:
        return False


@pytest.mark.parametrize("damaged", [OnACarelessLedger, WithAForgetfulProvider])
def test_on_damaged_ground_it_does_not_end_well(damaged: type[AnyInterleaving]) -> None:
    """What this machine cannot find it does not look for. It stops with the first that it finds."""
    with pytest.raises((AssertionError, ExceptionGroup)):
        run_state_machine_as_test(damaged, settings=settings(SETTINGS, max_examples=10_000, phases=[Phase.generate]))
