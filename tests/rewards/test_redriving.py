"""A parked reward that is redriven is owed again, once, under the right key, and never over what happened since."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from rewards.history import Change, HistoryItem
from rewards.order import ReturnedLine
from rewards.outcomes import GivenUp, Unsettled
from rewards.parking import letter_of
from rewards.promotion import Days, ECoupon
from rewards.provider import Member, Refused, Unknown
from rewards.redriving import put_back, redrive
from rewards.reward import Held, Reward, RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_paid_order, a_promotion, a_return, a_reward, an_order
from tests.fakes.queues import MemoryQueues
from tests.fakes.world import LATER, PATIENCE, STOCK_PATIENCE, TIMETABLE, World
from tests.rewards.events import paid, reversed_by, shipped

ORDER = an_order(lines=2)
ID = RewardId(*ORDER.id, "28343")
M1 = Member("1", "M1")
NO = Refused("the member's account is closed")
SILENT = Unknown("timeout")


class Case:
    """A world with one reward of 100 points, or 2 coupons, that is due; and the queues a redrive sends to."""

    def __init__(self, *, coupons: bool = False) -> None:
        self.world = World(a_promotion(ECoupon("TEA", quantity=2)) if coupons else a_promotion())
        self.world.tell(paid(ORDER))
        self.world.now += LATER
        self.queues = MemoryQueues()

    @property
    def row(self) -> Reward:
        return self.world.ledger.rows[ID]

    def redrive(self) -> bool:
        return redrive(ID, self.world.ledger, self.queues, by="alice", timetable=TIMETABLE, now=self.world.now)

    def refused(self) -> None:
        self.world.points.instead = [NO]
        assert self.world.grant(ID) == GivenUp(ID)

    def exhausted(self) -> None:
        self.world.points.instead = [SILENT, SILENT]
        assert isinstance(self.world.grant(ID), Unsettled)
        self.world.now += PATIENCE
        assert self.world.grant(ID) == GivenUp(ID)

    def out_of_stock_for_long(self) -> None:
        self.world.grant(ID)
        self.world.now += STOCK_PATIENCE
        assert self.world.grant(ID) == GivenUp(ID)

    def granted(self) -> None:
        self.world.run()
        assert self.row.status is Status.REWARD

    def returned(self, *lines: str) -> None:
        back = [ReturnedLine(line, 1) for line in lines] or "all"
        self.world.tell(reversed_by(f"R{lines}", a_return(back), ORDER))

    def balance(self) -> int:
        return self.world.points.balances[M1]


@pytest.fixture
def case() -> Case:
    return Case()


def test_a_refused_grant_is_redriven_and_asked_for_with_the_next_key(case: Case) -> None:
    case.refused()
    assert case.redrive()
    assert (case.row.held, case.row.status, case.row.lock) == (None, Status.WAIT, None)
    case.world.run()
    assert (case.row.status, case.balance()) == (Status.REWARD, 100)
    assert [key.rsplit("#", 2)[1:] for key in case.world.points.entries] == [["grant", "1"]]


def test_a_grant_without_an_answer_is_asked_for_with_the_same_key(case: Case) -> None:
    case.world.points.lose_replies = 2
    case.world.grant(ID)
    case.world.now += PATIENCE
    assert case.world.grant(ID) == GivenUp(ID)
    intent = case.row.lock
    assert case.redrive()
    assert case.row.lock == intent
    case.world.run()
    assert (case.row.status, case.balance()) == (Status.REWARD, 100)
    assert [key.rsplit("#", 2)[1:] for key in case.world.points.entries] == [["grant", "0"]]


def test_a_provider_has_its_patience_anew(case: Case) -> None:
    case.exhausted()
    case.world.now += timedelta(days=30)
    case.redrive()
    case.world.points.instead = [SILENT]
    assert isinstance(case.world.grant(ID), Unsettled)


def test_a_coupon_that_was_out_of_stock_for_too_long_is_asked_for_again() -> None:
    case = Case(coupons=True)
    case.out_of_stock_for_long()
    assert case.row.held
    assert case.row.held.kind == "expired"
    case.world.coupons.add_stock("1", "TEA", 5)
    assert case.redrive()
    case.world.run()
    assert (case.row.status, case.row.points) == (Status.REWARD, 2)


def a_refused_recycle(case: Case) -> None:
    case.granted()
    case.returned("L1")
    case.world.points.instead = [NO]
    assert case.world.recycle(ID) == GivenUp(ID)


def test_a_refused_recycle_is_redriven(case: Case) -> None:
    a_refused_recycle(case)
    assert case.redrive()
    case.world.run()
    assert (case.row.recycle_points, case.row.held, case.row.due, case.balance()) == (50, None, None, 50)


@pytest.mark.parametrize(("park", "queue"), [(Case.refused, "grant_points_low"), (a_refused_recycle, "recycle_points")])
def test_a_message_goes_with_it_for_speed(park: Callable[[Case], object], queue: str, case: Case) -> None:
    park(case)
    assert case.redrive()
    (task,) = case.queues(queue).take()
    assert task.rewards() == [ID]


def test_two_operators_put_it_back_once(case: Case) -> None:
    case.refused()
    assert [case.redrive(), case.redrive()] == [True, False]
    case.world.run()
    assert case.balance() == 100


def test_a_reward_cancelled_since_is_not_put_back(case: Case) -> None:
    case.refused()
    case.returned()
    before = case.row
    assert before.status is Status.CANCEL
    assert not case.redrive()
    case.world.run()
    assert (case.row, case.balance()) == (before, 0)


def test_a_reward_lowered_since_is_granted_as_it_stands(case: Case) -> None:
    case.refused()
    case.returned("L1")
    assert case.redrive()
    case.world.run()
    assert (case.row.points, case.balance()) == (50, 50)


def test_a_return_while_nobody_knew_is_taken_back_after_the_grant(case: Case) -> None:
    case.exhausted()
    case.returned("L1")
    assert case.row.return_pending
    assert case.row.due, "only a worker can find out what was done: nobody needs to redrive it"
    case.world.run()
    assert (case.row.points, case.row.recycle_points, case.balance()) == (100, 50, 50)


@pytest.mark.parametrize("held", [None, Held("paid again", "by event 7")])
def test_what_is_not_parked_is_left_as_it_is(held: Held | None) -> None:
    row = a_reward(held=held)
    assert put_back(row, a_paid_order(), by="alice", timetable=TIMETABLE, now=ORDERED_AT) is None


def test_a_reward_nobody_knows_is_not_put_back(case: Case) -> None:
    gone = ID._replace(promotion_id="gone")
    assert not redrive(gone, case.world.ledger, case.queues, by="alice", timetable=TIMETABLE, now=case.world.now)


def parcel_left_later(case: Case, **fields: object) -> Reward:
    """Parked when its time had come by the order; then the parcel left, and what counts from that is not due yet."""
    rule = a_promotion(timing=Days(7, "shipped", before_shipping="ordered")).rule
    case.world.ledger.rows[ID] = replace(case.row, rule=rule, **fields)  # type: ignore[arg-type]
    case.refused()
    case.world.tell(shipped(case.world.now, ORDER))
    assert case.row.held, "rebooking leaves it to a person"
    return case.row


def test_a_parcel_that_left_while_it_was_parked_moves_its_booking_time(case: Case) -> None:
    parked = parcel_left_later(case)
    assert parked.booking_time
    assert case.redrive()
    assert case.row.booking_time
    assert case.row.booking_time > case.world.now > parked.booking_time
    assert case.queues("grant_points_low").take() == [], "it is not due yet"
    case.world.run()
    assert case.row.status is Status.WAIT
    case.world.run(until=case.world.now + LATER)
    assert case.balance() == 100


def test_the_history_says_who_redrove_it_and_the_chain_has_no_gap(case: Case) -> None:
    case.refused()
    before = case.row
    case.redrive()
    item = HistoryItem.of(Change(before, case.row))
    assert (item.reason, item.actor) == ("redriven by alice", "redrive")
    assert (item.previous, item.version) == (before.changed_version, before.version + 1)
    assert item.held is None


def test_parked_again_its_letter_is_another_one_and_says_how_often_it_was_redriven(case: Case) -> None:
    ids, times = [], []
    for _ in range(3):
        before = case.row
        case.refused()
        letter = letter_of(Change(before, case.row))
        assert letter
        ids.append(letter.id)
        times.append(letter.times_redriven)
        case.redrive()
    assert times == [0, 1, 2]
    assert len(set(ids)) == 3
