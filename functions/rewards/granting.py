"""Granting: claim a reward whose time has come, have the provider give it, settle."""

from rewards.claiming import Claim, Worker, account, claimed
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.outcomes import Granted, LostRace, NotOwed, OfReward, TooEarly, Unsettled
from rewards.provider import PointsProvider, Unknown
from rewards.reward import Reward, RewardId
from rewards.status import Status
from rewards.tasks import TaskQueue, task_of
from rewards.timetable import Timetable
from rewards.withdrawal import reconcile


def grant(
    id: RewardId, ledger: Ledger, provider: PointsProvider, recycles: TaskQueue, *, worker: Worker, timetable: Timetable
) -> OfReward:
    """Grant the reward if it is owed, due and free. The row decides: the message only named it."""
    claim = _claim(id, ledger, recycles, worker=worker, timetable=timetable)
    if not isinstance(claim, Claim):
        return claim
    answer = provider.grant(claim.lock.key, account(claim.row), claim.lock.amount, reason=id.promotion_id)
    if isinstance(answer, Unknown):
        claim.end_lease(ledger, worker.now)
        return Unsettled(id, answer.problem)

    def granted(row: Reward) -> Reward:
        return row.change(
            "granted",
            by="grant_points",
            at=worker.now,
            status=Status.REWARD,
            is_reward=True,
            points=answer.points,
            granted_at=worker.now,
            lock=None,
            due=None,
        )

    settled = claim.settle(granted, timetable.due("recycle", claim.row, now=worker.now), ledger)
    if settled is None:
        return LostRace(id)
    if settled.due:
        recycles.send([task_of(settled)])
    return Granted(id, answer.points)


def _claim(
    id: RewardId, ledger: Ledger, recycles: TaskQueue, *, worker: Worker, timetable: Timetable
) -> Claim | OfReward:
    for _ in range(DECISIONS_MAX):
        row = ledger.reward(id)
        if row is None or row.status is not Status.WAIT or row.due is None:
            return NotOwed(id)
        if row.booking_time > worker.now:
            return TooEarly(id)
        if row.is_locked(worker.now):
            return LostRace(id)
        if row.return_pending and row.lock is None:
            reconcile(id, ledger, recycles, timetable=timetable, now=worker.now)
            continue
        if claim := claimed(row, worker.lock(row, "grant", row.points), ledger):
            return claim
    raise Contended(id)
