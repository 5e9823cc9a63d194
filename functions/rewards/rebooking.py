"""Rebooking: the parcel left; what counts from shipping is booked by that, with the same bucket as ever."""

from datetime import datetime

from msgspec.structs import replace

from rewards.events import OrderShipped
from rewards.ledger import DECISIONS_MAX, Contended, Ledger, order_of
from rewards.order import Order
from rewards.outcomes import OfOrder, OfReward, Rebooked, ShippingKept, Unchanged
from rewards.promotion import Days, Timing
from rewards.reward import Reward, RewardId
from rewards.routing import RewardQueue
from rewards.status import Status
from rewards.timetable import Timetable


def rebook(
    event: OrderShipped, ledger: Ledger, at_once: RewardQueue, *, timetable: Timetable, now: datetime
) -> list[OfOrder | OfReward]:
    """Keep the shipping on the order, then move each reward that counts from it; send what is due by that already.

    Orders leave in parts, and events come late: the latest shipping counts, whichever was told last. An order that is
    not paid yet keeps it for its booking. A repeat goes on to the rewards: the first delivery may have died before.
    """
    order = _keep_shipping(event, ledger)
    counting = [row.id for row in ledger.rewards(order.id) if _counts_from_shipping(row.rule.timing)]
    moved = [_rebook(id, ledger, at_once, timetable=timetable, now=now) for id in counting]
    return [*moved] or [ShippingKept(order.id)]


def rebooked(row: Reward, order: Order, *, timetable: Timetable, now: datetime) -> Reward | None:
    """The row at the time that the order's shipping gives it; None if it stays as it is.

    A claimed row is left to its worker: by all that was known its time had come, and the provider may have given
    already. A row that is out of stock waits for both, parcel and stock, so it is moved only to a later time.
    """
    if row.status is not Status.WAIT or row.lock or row.held:
        return None
    at = timetable.booking_time(row.rule.timing, order, row.id.promotion_id)
    if at is None or at == row.booking_time:
        return None
    if row.stock_outs and row.booking_time and at < row.booking_time:
        return None
    moved = row.change("shipped", by="rebook", at=now, booking_time=at)
    return replace(moved, due=timetable.due("reward", moved, now=now))


def _rebook(id: RewardId, ledger: Ledger, at_once: RewardQueue, *, timetable: Timetable, now: datetime) -> OfReward:
    """Move one reward. The row is read before the order: no later shipping can be overwritten by an earlier one."""
    for _ in range(DECISIONS_MAX):
        row = ledger.reward(id)
        after = row and rebooked(row, order_of(row, ledger), timetable=timetable, now=now)
        if row is None or after is None:
            return Unchanged(id)
        if ledger.write_reward(row, after):
            if after.is_due(now):
                at_once.send([after])
            return Rebooked(id)
    raise Contended(id)


def _keep_shipping(event: OrderShipped, ledger: Ledger) -> Order:
    """The order with the latest of its shippings; one never seen becomes a tombstone that knows nothing else."""
    for _ in range(DECISIONS_MAX):
        known = ledger.order(event.order_id)
        order = known or Order(id=event.order_id)
        if order.shipped_at and order.shipped_at >= event.shipped_at:
            return order
        after = replace(order, shipped_at=event.shipped_at, version=order.version + 1)
        if ledger.write_order(known, after):
            return after
    raise Contended(event.order_id)


def _counts_from_shipping(timing: Timing) -> bool:
    return isinstance(timing, Days) and timing.basis == "shipped"
