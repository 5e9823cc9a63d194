"""Expiring: an order that was not paid in time lets the place go that it holds."""

from datetime import datetime

from rewards import timers
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.outcomes import Expired, NotOwed, OfReward, TooEarly
from rewards.reward import RewardId
from rewards.status import Status
from rewards.tasks import TimerQueue


def expire(id: RewardId, ledger: Ledger, timer_queue: TimerQueue, *, now: datetime) -> OfReward:
    """Cancel the reward if it still waits for its payment at the deadline.

    A timer that comes early is sent on with the time that is left. The row decides: what was paid, or cancelled
    otherwise, is left alone.
    """
    row = ledger.reward(id)
    if row and row.unpaid_until and row.unpaid_until > now:
        timers.start([row], timer_queue, now)
        return TooEarly(id)
    return Expired(id) if let_go(id, ledger, "not paid in time", by="expire", now=now) else NotOwed(id)


def let_go(id: RewardId, ledger: Ledger, reason: str, *, by: str, now: datetime) -> bool:
    """Cancel a reward that holds a place and is not paid, the place given back with it; False if it is no such one."""
    for _ in range(DECISIONS_MAX):
        row = ledger.reward(id)
        if row is None or row.status is not Status.OCCUPY:
            return False
        if ledger.write_reward(row, row.cancel(reason, by=by, at=now)):
            return True
    raise Contended(id)
