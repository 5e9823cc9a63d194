"""Granting: claim a reward whose time has come, have the provider give it, settle."""

from datetime import UTC

from msgspec.structs import replace

from rewards.claiming import Claim, Worker
from rewards.ledger import DECISIONS_MAX, Contended
from rewards.outcomes import GivenUp, Granted, LostRace, NoStock, NotOwed, OfReward, TooEarly
from rewards.pooling import Asking, Work, one_by_one, put, read
from rewards.promotion import ECoupon
from rewards.provider import (
    CouponProvider,
    Done,
    Issued,
    NotNow,
    OutOfStock,
    PointsGrant,
    PointsProvider,
    Refused,
    Unknown,
)
from rewards.reward import Held, Reward, RewardId
from rewards.routing import RewardQueue
from rewards.status import Status
from rewards.timetable import Timetable
from rewards.withdrawal import reconcile

Answer = Done | Issued | OutOfStock | Refused | NotNow | Unknown
Give = Asking[Claim, Answer]


def giving_points(provider: PointsProvider) -> Give:
    """How claimed points rewards are given."""

    def grant_of(claim: Claim) -> PointsGrant:
        return PointsGrant(claim.lock.key, claim.account, claim.lock.amount, reason=claim.row.id.promotion_id)

    return Asking(lambda claims: provider.grant_all([grant_of(claim) for claim in claims]), provider.together)


def giving_coupons(provider: CouponProvider) -> Give:
    """How claimed coupon rewards are given."""

    def give(claim: Claim) -> Answer:
        coupon = claim.row.rule.reward
        if not isinstance(coupon, ECoupon):
            return Refused("the reward is not of coupons")
        return provider.issue(claim.lock.key, coupon.template, claim.account, claim.lock.amount)

    return one_by_one(give, provider.together)


def grant(id: RewardId, give: Give, recycles: RewardQueue, *, worker: Worker, timetable: Timetable) -> Work[OfReward]:
    """Grant the reward if it is owed, due and free. The row decides: the message only named it."""
    claim = yield from _claim(id, recycles, worker=worker, timetable=timetable)
    if not isinstance(claim, Claim):
        return claim
    match (yield from put(give, claim)):
        case Done(points=points):
            return (yield from _granted(claim, points, (), recycles, timetable))
        case Issued(codes=codes):
            return (yield from _granted(claim, len(codes), codes, recycles, timetable))
        case OutOfStock():
            return (yield from _out_of_stock(claim, timetable))
        case Refused() as answer:
            return (yield from claim.refuse(answer, grant_attempt=claim.row.grant_attempt + 1))
        case answer:
            return (yield from claim.put_off(answer))


def _claim(id: RewardId, recycles: RewardQueue, *, worker: Worker, timetable: Timetable) -> Work[Claim | OfReward]:
    for _ in range(DECISIONS_MAX):
        row = yield from read(id)
        if row is None or row.status is not Status.WAIT or row.due is None or row.booking_time is None:
            return NotOwed(id)
        if row.booking_time > worker.now:
            return TooEarly(id)
        if row.is_locked(worker.now):
            return LostRace(id)
        if row.return_pending and row.lock is None:
            yield from reconcile(id, recycles, timetable=timetable, now=worker.now)
            continue
        if claim := (yield from worker.claim(row, "grant", row.points)):
            return claim
    raise Contended(id)


def _granted(
    claim: Claim, points: int, codes: tuple[str, ...], recycles: RewardQueue, timetable: Timetable
) -> Work[OfReward]:
    """What the provider gave stands. Where that is not what is owed, the row goes straight back into the due index."""
    worker = claim.worker

    def granted(row: Reward) -> Reward:
        is_owed_back = row.return_pending or points != claim.lock.amount
        after = worker.change(
            row, "granted", status=Status.REWARD, is_reward=True, points=points, codes=codes, granted_at=worker.now
        )  # fmt: skip
        due = timetable.due("recycle", row, now=worker.now) if is_owed_back else None
        return replace(after, return_pending=False, due=due)

    settled = yield from claim.settle(granted)
    if settled is None:
        return LostRace(claim.row.id)
    if settled.due:
        recycles.send([settled])
    return Granted(claim.row.id, points)


def _out_of_stock(claim: Claim, timetable: Timetable) -> Work[OfReward]:
    """Book it again for the next restocking hour, under the next key: this one will never be served.

    Out of stock for longer than the worker's patience it is for a person, unless a return meanwhile comes first.
    """
    worker, since = claim.worker, claim.row.no_stock_since or claim.worker.now
    is_too_long = worker.now - since >= worker.stock_patience

    def put_back(row: Reward) -> Reward:
        after = worker.change(
            row, "out of stock", grant_attempt=row.grant_attempt + 1, stock_outs=row.stock_outs + 1
        )  # fmt: skip
        if is_too_long and not row.return_pending:
            reason = f"out of stock since {since.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
            return replace(after, held=Held("expired", reason), due=None)
        again = replace(after, booking_time=timetable.next_stock_time(worker.now), no_stock_since=since)
        return replace(again, due=timetable.due("reward", again, now=worker.now))

    settled = yield from claim.settle(put_back)
    if settled is None:
        return LostRace(claim.row.id)
    return NoStock(claim.row.id) if settled.due else GivenUp(claim.row.id)
