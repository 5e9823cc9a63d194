"""Redriving a reward: a person has seen to what it was parked for, and it is owed again.

Only the row says what is still to do. One that came back meanwhile is cancelled, lowered or already due again: then
there is nothing to put back. What is put back is claimed, called for and settled like any other row, with the key that
the protocol gives it: where nobody knows whether the provider did it the intent still stands with its key, after a
refusal or without stock the next key is due.
"""

from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from rewards.ledger import DECISIONS_MAX, Contended, Ledger, order_of
from rewards.order import Order
from rewards.rebooking import rebooked
from rewards.reward import Reward, RewardId
from rewards.routing import LOOKED_FOR, RewardQueue
from rewards.status import Status
from rewards.tasks import Kind, Queue, TaskQueue
from rewards.timetable import Timetable

KINDS: dict[Status, Kind] = {Status.WAIT: "reward", Status.REWARD: "recycle"}
"""What a parked row waits for, by its status."""


def redrive(
    id: RewardId,
    ledger: Ledger,
    queues: Callable[[Queue], TaskQueue],
    *,
    by: str,
    timetable: Timetable,
    now: datetime,
) -> bool:
    """Put a parked reward back into the due index, and send it if its time has come; False if it is not parked now."""
    for _ in range(DECISIONS_MAX):
        row = ledger.reward(id)
        after = row and put_back(row, order_of(row, ledger), by=by, timetable=timetable, now=now)
        if row is None or after is None:
            return False
        if ledger.write_reward(row, after):
            _send(after, queues, now)
            return True
    raise Contended(id)


def put_back(row: Reward, order: Order, *, by: str, timetable: Timetable, now: datetime) -> Reward | None:
    """The row owed again; None if it is not parked.

    While it was parked nobody booked it again by its shipping, so that is made up for.
    """
    if row.held is None or not row.held.is_parked:
        return None
    freed = replace(row, held=None)
    booking_time = (rebooked(freed, order, timetable=timetable, now=now) or row).booking_time
    after = freed.change(
        f"redriven by {by}", by="redrive", at=now, booking_time=booking_time, redriven=row.redriven + 1
    )  # fmt: skip
    return replace(after, due=timetable.due(KINDS[row.status], after, now=now))


def _send(row: Reward, queues: Callable[[Queue], TaskQueue], now: datetime) -> None:
    """The message is only for speed: without it the next run, or the sweep, would find the row."""
    if row.status is Status.REWARD or row.is_due(now):
        RewardQueue(LOOKED_FOR[KINDS[row.status]], queues).send([row])
