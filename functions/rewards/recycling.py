"""Recycling: take back what a granted reward no longer earns, once, and record what could not be collected."""

from rewards.claiming import Claim, Worker, account, claimed, grant_key
from rewards.due import parse
from rewards.entitlement import to_reclaim
from rewards.ledger import DECISIONS_MAX, Contended, Ledger, order_of
from rewards.outcomes import LostRace, NotOwed, OfReward, Recycled, Shortfall, TooEarly, Unsettled
from rewards.provider import PointsProvider, Unknown
from rewards.reward import Reward, RewardId
from rewards.status import Status
from rewards.tasks import TaskQueue, task_of
from rewards.timetable import Timetable


def recycle(
    id: RewardId, ledger: Ledger, provider: PointsProvider, recycles: TaskQueue, *, worker: Worker, timetable: Timetable
) -> OfReward:
    """Take back what is owed by row and order as they stand now; no message carries an amount."""
    claim = _claim(id, ledger, worker=worker, timetable=timetable)
    if not isinstance(claim, Claim):
        return claim
    asked, allow_debt = claim.lock.amount, claim.row.rule.on_shortfall == "debt"
    answer = provider.reclaim(
        claim.lock.key, grant_key(claim.row), account(claim.row), asked, allow_debt=allow_debt
    )  # fmt: skip
    if isinstance(answer, Unknown):
        claim.end_lease(ledger, worker.now)
        return Unsettled(id, answer.problem)
    missing = asked - answer.points

    def recycled(row: Reward) -> Reward:
        return row.change(
            "recycled as far as the balance went" if missing else "recycled",
            by="recycle_points",
            at=worker.now,
            is_recycle=True,
            recycle_points=row.recycle_points + answer.points,
            shortfall=row.shortfall + missing,
            recycle_seq=row.recycle_seq + 1,
            lock=None,
            due=None,
        )

    settled = claim.settle(recycled, timetable.due("recycle", claim.row, now=worker.now), ledger)
    if settled is None:
        return LostRace(id)
    if settled.due:
        recycles.send([task_of(settled)])
    return Shortfall(id, answer.points, missing) if missing else Recycled(id, answer.points)


def _claim(id: RewardId, ledger: Ledger, *, worker: Worker, timetable: Timetable) -> Claim | OfReward:
    for _ in range(DECISIONS_MAX):
        row = ledger.reward(
            id
        )  # before the order: a return that is recorded after this read finds what is written here
        if row is None or row.status is not Status.REWARD or row.due is None:
            return NotOwed(id)
        if parse(row.due.sort).slot > timetable.slot("recycle", worker.now):
            return TooEarly(id)
        if row.is_locked(worker.now):
            return LostRace(id)
        owed = row.lock.amount if row.lock else to_reclaim(row, order_of(row, ledger))
        if not owed:
            nothing = row.change("nothing owed", by="recycle_points", at=worker.now, due=None, return_pending=False)
            if ledger.write_reward(row, nothing):
                return NotOwed(id)
        elif claim := claimed(row, worker.lock(row, "reclaim", owed), ledger):
            return claim
    raise Contended(id)
