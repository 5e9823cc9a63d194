"""Recycling: take back what a granted reward no longer earns, once, and record what could not be collected."""

from msgspec.structs import replace

from rewards.claiming import Claim, Worker, grant_key
from rewards.due import parse
from rewards.entitlement import to_reclaim
from rewards.ledger import DECISIONS_MAX, Contended
from rewards.outcomes import LostRace, NotOwed, OfReward, Recycled, Shortfall, TooEarly
from rewards.pooling import Asking, Work, one_by_one, put, read, read_order, write
from rewards.provider import CouponProvider, Done, NotNow, PointsProvider, Refused, Revoked, Unknown
from rewards.reward import Reward, RewardId
from rewards.routing import RewardQueue
from rewards.status import Status
from rewards.timetable import Timetable

Answer = Done | Revoked | Refused | NotNow | Unknown
TakeBack = Asking[Claim, Answer]


def taking_back_points(provider: PointsProvider) -> TakeBack:
    """How the points of claimed rewards are collected."""

    def take_back(claim: Claim) -> Answer:
        is_debt_allowed = claim.row.rule.on_shortfall == "debt"
        return provider.reclaim(
            claim.lock.key, grant_key(claim.row), claim.account, claim.lock.amount, allow_debt=is_debt_allowed
        )

    return one_by_one(take_back, provider.together)


def taking_back_coupons(provider: CouponProvider) -> TakeBack:
    """How coupons of claimed rewards are made void: as many as are owed, of those nobody has asked back yet.

    A code asked for that the provider did not make void is of no more use to ask for: it counts as used.
    """

    def take_back(claim: Claim) -> Answer:
        asked = claim.row.untried_codes[: claim.lock.amount]
        answer = provider.revoke(claim.lock.key, claim.account, asked) if asked else Revoked((), ())
        if not isinstance(answer, Revoked):
            return answer
        revoked = tuple(code for code in asked if code in answer.revoked)
        return Revoked(revoked, used=tuple(code for code in asked if code not in revoked))

    return one_by_one(take_back, provider.together)


def recycle(
    id: RewardId, take_back: TakeBack, recycles: RewardQueue, *, worker: Worker, timetable: Timetable
) -> Work[OfReward]:
    """Take back what is owed by row and order as they stand now; no message carries an amount."""
    claim = yield from _claim(id, worker=worker, timetable=timetable)
    if not isinstance(claim, Claim):
        return claim
    match (yield from put(take_back, claim)):
        case Done(points=points):
            return (yield from _settled(claim, points, Revoked((), ()), recycles, timetable))
        case Revoked(revoked=revoked) as answer:
            return (yield from _settled(claim, len(revoked), answer, recycles, timetable))
        case Refused() as answer:
            return (yield from claim.refuse(answer, recycle_seq=claim.row.recycle_seq + 1))
        case answer:
            return (yield from claim.put_off(answer))


def _claim(id: RewardId, *, worker: Worker, timetable: Timetable) -> Work[Claim | OfReward]:
    for _ in range(DECISIONS_MAX):
        row = yield from read(id)  # before the order: a return recorded after this read finds what is written here
        if row is None or row.status is not Status.REWARD or row.due is None:
            return NotOwed(id)
        if parse(row.due.sort).slot > timetable.slot("recycle", worker.now):
            return TooEarly(id)
        if row.is_locked(worker.now):
            return LostRace(id)
        order = yield from read_order(row)
        owed = row.lock.amount if row.lock else to_reclaim(row, order)
        if not owed:
            nothing = worker.change(row, "nothing owed", due=None, return_pending=False)
            if (yield from write(row, nothing)):
                return NotOwed(id)
        elif claim := (yield from worker.claim(row, "reclaim", owed, member_id=order.named_member)):
            return claim
    raise Contended(id)


def _settled(claim: Claim, taken: int, coupons: Revoked, recycles: RewardQueue, timetable: Timetable) -> Work[OfReward]:
    """Record what was taken. What is missing is a shortfall, unless there are coupons yet to be asked back for it.

    More than was asked for may be taken already: under this key, before the ledger was restored to an earlier time.
    """
    worker, missing = claim.worker, max(0, claim.lock.amount - taken)

    def recycled(row: Reward) -> Reward:
        after = worker.change(
            row,
            _reason(claim, missing, coupons),
            is_recycle=True,
            recycle_points=row.recycle_points + taken,
            revoked_codes=row.revoked_codes + coupons.revoked,
            used_codes=row.used_codes + coupons.used,
            recycle_seq=row.recycle_seq + 1,
        )
        asks_others = missing > 0 and bool(after.untried_codes)
        is_owed_more = row.return_pending or asks_others
        return replace(
            after,
            shortfall=row.shortfall + (0 if asks_others else missing),
            return_pending=False,
            due=timetable.due("recycle", row, now=worker.now) if is_owed_more else None,
        )

    settled = yield from claim.settle(recycled)
    if settled is None:
        return LostRace(claim.row.id)
    if settled.due:
        recycles.send([settled])
    short = settled.shortfall - claim.row.shortfall
    return Shortfall(claim.row.id, taken, short) if short else Recycled(claim.row.id, taken)


def _reason(claim: Claim, missing: int, coupons: Revoked) -> str:
    """What came of it, and from whose account: the one granted to, or the one that a return has named since."""
    whose = f"from {claim.account.member_id}" + (", whom the return names" if claim.lock.member_id else "")
    if not missing:
        return f"recycled {whose}"
    if claim.row.reward_type == "LoyaltyPoints":
        return f"recycled {whose}, as far as the balance went"
    return f"recycled {whose}, but for those used" if coupons.revoked else f"not recyclable: used ({whose})"
