"""Expiring: the unpaid timer fires within seconds of its time, whatever was lost, and changes only what is unpaid."""

from datetime import date, datetime, timedelta

import pytest

from rewards.outcomes import Expired, NotOwed, TooEarly
from rewards.promotion import Quota
from rewards.reward import Reward, RewardId
from rewards.status import Status
from rewards.tasks import Timer
from rewards.timers import sweep_timers
from tests.builders import ORDERED_AT, a_promotion, an_order
from tests.fakes.control import MemoryControl
from tests.fakes.due_index import MemoryDueIndex
from tests.fakes.world import TIMETABLE, World
from tests.rewards.events import paid, placed

ORDER = an_order()
ID = RewardId("1", ORDER.id.order_group, "28343")
SWEEPS = timedelta(minutes=10)
SECOND = timedelta(seconds=1)


class Clockwork:
    """A world whose timers run: the sweep comes every ten minutes, and what a queue hides comes out when it is due."""

    def __init__(self, minutes: int, *, placed_at: datetime = ORDERED_AT) -> None:
        self.world = World(a_promotion(quota=Quota(total=1, occupy=True, unpaid_minutes=minutes)), now=placed_at)
        self.control = MemoryControl()
        self.deadline = placed_at + timedelta(minutes=minutes)
        self.world.tell(placed(ORDER, placed_at))

    @property
    def row(self) -> Reward:
        return self.world.ledger.rows[ID]

    def sweep(self) -> int:
        swept = sweep_timers(
            MemoryDueIndex(self.world.ledger), self.control, self.world.timers,
            now=self.world.now, shards=TIMETABLE.shards, period=TIMETABLE.period,
        )  # fmt: skip
        return swept.rewards

    def take_timers(self) -> list[Timer]:
        taken, self.world.timers.waiting = self.world.timers.waiting, []
        return taken

    def run_to_the_end(self) -> datetime:
        """When the reward is cancelled; nothing but timers and the sweeps moves it."""
        next_sweep = self.world.now + SWEEPS
        running = [self.world.now + timer.delay for timer in self.take_timers()]
        while self.row.status is Status.OCCUPY:
            self.world.now = min([next_sweep, *running])
            if self.world.now == next_sweep:
                self.sweep()
                next_sweep += SWEEPS
            else:
                running.remove(self.world.now)
                self.world.expire(ID)
            running += [self.world.now + timer.delay for timer in self.take_timers()]
        return self.world.now


@pytest.mark.parametrize("minutes", [1, 15, 16, 30, 72 * 60])
@pytest.mark.parametrize("micros", [0, 1, 999_999])
def test_it_fires_within_two_seconds_of_the_deadline_and_never_before(minutes: int, micros: int) -> None:
    clockwork = Clockwork(minutes, placed_at=ORDERED_AT + timedelta(microseconds=micros))
    assert timedelta() <= clockwork.run_to_the_end() - clockwork.deadline <= 2 * SECOND
    assert (clockwork.row.status, clockwork.row.update_reason) == (Status.CANCEL, "not paid in time")
    assert clockwork.world.ledger.taken.total() == 0


@pytest.mark.parametrize("minutes", [1, 30, 72 * 60])
def test_a_timer_that_was_lost_is_made_up_for_by_the_next_sweep(minutes: int) -> None:
    clockwork = Clockwork(minutes)
    clockwork.take_timers()
    clockwork.world.now = clockwork.deadline + timedelta(minutes=3)
    assert clockwork.sweep() == 1
    assert [timer.delay for timer in clockwork.take_timers()] == [timedelta()]
    assert clockwork.world.expire(ID) == Expired(ID)
    assert clockwork.sweep() == 0


def test_a_deadline_further_off_than_a_queue_can_hide_waits_in_the_index() -> None:
    clockwork = Clockwork(30)
    assert clockwork.take_timers() == []
    clockwork.world.now = clockwork.deadline - timedelta(minutes=15)
    assert clockwork.sweep() == 0, "its time is not up before the next sweep but one"
    clockwork.world.now += SECOND
    assert clockwork.sweep() == 1
    assert [timer.delay for timer in clockwork.take_timers()] == [timedelta(minutes=15)]


def test_one_that_comes_early_is_sent_on_with_the_rest_but_none_goes_in_laps() -> None:
    clockwork = Clockwork(30)
    assert clockwork.world.expire(ID) == TooEarly(ID)
    assert clockwork.take_timers() == [], "the sweep will find it in time"
    clockwork.world.now = clockwork.deadline - timedelta(seconds=90)
    assert clockwork.world.expire(ID) == TooEarly(ID)
    assert [timer.delay for timer in clockwork.take_timers()] == [timedelta(seconds=90)]
    assert clockwork.row.status is Status.OCCUPY


def test_what_was_paid_in_time_is_left_alone() -> None:
    clockwork = Clockwork(1)
    clockwork.world.tell(paid(ORDER))
    booked = clockwork.row
    clockwork.world.now = clockwork.deadline
    assert clockwork.world.expire(ID) == NotOwed(ID)
    assert clockwork.row == booked
    assert clockwork.sweep() == 0


def test_a_second_timer_gives_no_second_place_back() -> None:
    clockwork = Clockwork(1)
    clockwork.run_to_the_end()
    assert clockwork.world.expire(ID) == NotOwed(ID)
    assert clockwork.world.ledger.taken.total() == 0


def test_a_payment_that_comes_after_the_deadline_earns_if_there_is_still_a_place() -> None:
    clockwork = Clockwork(1)
    clockwork.run_to_the_end()
    clockwork.world.tell(paid(ORDER))
    assert clockwork.row.status is Status.WAIT
    assert clockwork.world.ledger.taken.total() == 1


def test_an_order_placed_long_ago_whose_event_comes_late_is_let_go_at_once() -> None:
    world = World(a_promotion(quota=Quota(total=1, occupy=True)), now=ORDERED_AT + timedelta(days=2))
    world.tell(placed(ORDER))
    assert [timer.delay for timer in world.timers.waiting] == [timedelta()]
    assert world.expire(ID) == Expired(ID)


def test_every_timer_is_sent_however_many_there_are_and_the_oldest_date_moves_on() -> None:
    world = World(a_promotion(quota=Quota(total=500, occupy=True)))
    for number in range(300):
        world.tell(placed(an_order(order_group=f"TG{number}", member_id=f"M{number}")))
    control = MemoryControl()
    world.now += timedelta(minutes=20)
    swept = sweep_timers(
        MemoryDueIndex(world.ledger), control, world.timers, now=world.now, shards=16, period=timedelta(hours=1)
    )
    assert swept.rewards == len(world.timers.waiting) == 300
    assert control.oldest("expire") == date(2026, 11, 3)
