"""Withdrawal: what came back of an order is recorded, and each of its rewards is made to agree."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from rewards.entitlement import Entitlement, entitled, to_reclaim
from rewards.errors import Invalid, shown
from rewards.events import OrderReversed, PaymentFailed
from rewards.expiring import let_go
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.order import Order, OrderId, Return
from rewards.outcomes import (
    Cancelled,
    Lowered,
    NotHeldBack,
    OfOrder,
    OfReward,
    ReturnKept,
    SentToRecycle,
    Unchanged,
    WaitsForWorker,
)
from rewards.pooling import Work, alone, read, read_order, write
from rewards.reward import Reward, RewardId
from rewards.routing import RewardQueue
from rewards.status import Status
from rewards.timetable import Timetable
from rewards.windows import Kind


def withdraw(
    event: PaymentFailed | OrderReversed, ledger: Ledger, recycles: RewardQueue, *, timetable: Timetable, now: datetime
) -> list[OfOrder | OfReward]:
    """Keep the return on the order, then lower, cancel or send to recycle what it no longer earns.

    A repeat finds its return recorded and goes on to the rewards: the first delivery may have died in between. Raises
    `Invalid` where its `return_id` stands for something else already, be it a cancellation or a return.
    """
    if isinstance(event, PaymentFailed):
        return _let_go(event, ledger, now)

    def told(order: Order) -> Mapping[str, Return]:
        known = order.returns.get(event.return_id)
        if known and known.lines != event.returned.lines:
            raise Invalid("return_id", f"{shown(event.return_id)} was told before with other lines")
        return {} if known else {event.return_id: event.returned}

    return take_back(event.order_id, told, ledger, recycles, timetable=timetable, now=now)


def take_back(
    id: OrderId,
    told: Callable[[Order], Mapping[str, Return]],
    ledger: Ledger,
    recycles: RewardQueue,
    *,
    timetable: Timetable,
    now: datetime,
) -> list[OfOrder | OfReward]:
    """Keep on the order those returns that, as `told` says, it does not have yet; then make its rewards agree."""
    order = _keep_returns(id, told, ledger)
    rewards = ledger.rewards(order.id)
    if not rewards:
        return [ReturnKept(order.id)]
    works = [reconcile(reward.id, recycles, timetable=timetable, now=now) for reward in rewards]
    return [alone(work, ledger) for work in works]


def reconcile(id: RewardId, recycles: RewardQueue, *, timetable: Timetable, now: datetime) -> Work[OfReward]:
    """Make one reward agree with its order.

    The row is read before the order: a return recorded after the first read is either seen by the second, or its own
    withdrawal comes later and finds what is written here.
    """
    for _ in range(DECISIONS_MAX):
        row = yield from read(id)
        if row is None:
            return Unchanged(id)
        after = reconciled(row, (yield from read_order(row)), timetable=timetable, now=now)
        if after is None:
            return WaitsForWorker(id) if row.return_pending else Unchanged(id)
        if (yield from write(row, after)):
            is_due = timetable.recycle_time(after, now) <= now
            if after.status is Status.REWARD and after.lock is None and is_due:
                recycles.send([after])
            return _outcome(after)
    raise Contended(id)


def reconciled(row: Reward, order: Order, *, timetable: Timetable, now: datetime) -> Reward | None:
    """The row as the order's returns want it; None when it agrees already.

    Nobody touches the amounts of a claimed row: its worker finds the flag when it settles.
    """
    earned = entitled(row.rule, order, row.lines)
    if row.lock and row.held and row.held.is_parked:
        kind: Kind = "recycle" if row.lock.action == "reclaim" else "reward"
        due = timetable.due(kind, row, now=now)  # only a worker can find out what was done under its key
        return _change(row, "returned while parked", now, return_pending=True, due=due, held=None)
    if row.lock:
        return None if row.return_pending else _change(row, "returned while claimed", now, return_pending=True)
    if row.status in (Status.OCCUPY, Status.WAIT) and not earned.points:
        return row.cancel("nothing left to earn", by="withdraw", at=now, base_amount=earned.base_amount)
    if row.status is Status.WAIT and (earned.points != row.points or row.return_pending):
        return _change(row, "returned in part", now, **_sums(earned))
    if row.status is Status.REWARD and row.due and to_reclaim(row, order):
        return row.with_lock(None)  # it is to be recycled already; a claim that has not seen this return must fail
    if row.status is Status.REWARD and to_reclaim(row, order):
        held = None if row.held and row.held.is_parked else row.held  # what came back is asked for once more
        return _change(row, "returned, to be recycled", now, due=timetable.due("recycle", row, now=now), held=held)
    return None


def _sums(earned: Entitlement) -> dict[str, Any]:
    return {"points": earned.points, "base_amount": earned.base_amount, "return_pending": False}


def _change(row: Reward, reason: str, now: datetime, **fields: Any) -> Reward:
    return row.change(reason, by="withdraw", at=now, **fields)


def _keep_returns(id: OrderId, told: Callable[[Order], Mapping[str, Return]], ledger: Ledger) -> Order:
    """The order with these returns on it; one never seen becomes a tombstone, and will earn only what is left."""
    for _ in range(DECISIONS_MAX):
        known = ledger.order(id)
        order = known or Order(id=id)
        missing = told(order)
        if not missing:
            return order
        for returned in missing.values():
            if returned.currency and order.currency and returned.currency != order.currency:
                raise Invalid("currency", f"{returned.currency!r}, but the order is in {order.currency}")
        after = replace(order, returns={**order.returns, **missing}, version=order.version + 1)
        if ledger.write_order(known, after):
            return after
    raise Contended(id)


def _let_go(event: PaymentFailed, ledger: Ledger, now: datetime) -> list[OfOrder | OfReward]:
    """Only what is not paid yet lets its place go: the payment that failed may be an earlier one than the paid one."""
    reason = f"payment attempt {event.attempt} failed"
    holding = [row.id for row in ledger.rewards(event.order_id) if row.status is Status.OCCUPY]
    gone = [Cancelled(id) for id in holding if let_go(id, ledger, reason, by="withdraw", now=now)]
    return [*gone] or [NotHeldBack(event.order_id)]


def _outcome(after: Reward) -> OfReward:
    if after.lock:
        return WaitsForWorker(after.id)
    match after.status:
        case Status.CANCEL:
            return Cancelled(after.id)
        case Status.WAIT:
            return Lowered(after.id)
        case _:
            return SentToRecycle(after.id)
