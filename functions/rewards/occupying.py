"""Occupying: an order that was placed holds its place of each quota that is held from then on, until it is paid."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from rewards import timers
from rewards.deciding import Places, Promotions, carried_on, matched
from rewards.entitlement import entitled
from rewards.events import OrderPlaced
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.matching import eligible_lines
from rewards.order import Order
from rewards.outcomes import FoundNoPlace, NothingMatched, NothingToHold, Occupied, OfOrder, OfReward, PlacedBefore
from rewards.promotion import Promotion
from rewards.quota import NoPlace
from rewards.reward import Reward
from rewards.status import Status
from rewards.tasks import TimerQueue
from rewards.timetable import Timetable


def occupy(
    event: OrderPlaced,
    ledger: Ledger,
    promotions: Promotions,
    timer_queue: TimerQueue,
    *,
    timetable: Timetable,
    now: datetime,
) -> list[OfOrder | OfReward]:
    """Decide the promotions that hold a place from now on, take the places, all in one transaction, and start timers.

    A repeat, or an order that is paid already, decides nothing; it only starts the timers again, in case the first
    delivery died before it could. An order that no such promotion asks for is not written: its payment tells it anew.
    """
    id = event.order.id
    for attempt in range(DECISIONS_MAX):
        known = ledger.order(id)
        order = carried_on(event.order, known)
        if known and (known.placed_at or known.is_paid):
            timers.start(ledger.rewards(id), timer_queue, now)
            return [PlacedBefore(id)]
        order = replace(order, placed_at=event.occurred_at)
        holding = {each.promotion_id: each for each in promotions.of_shop(id.shop_id) if _is_held(each, order)}
        if not holding:
            return [NothingToHold(id)]
        order, drafts = matched(order, holding.values())
        places = Places(ledger, id, attempt)
        rows = [
            placed(draft, order, holding[draft.id.promotion_id], places, timetable=timetable, now=now)
            for draft in drafts
        ]  # fmt: skip
        if ledger.decide(known, order, [(None, row) for row in rows], places.limits):
            timers.start(rows, timer_queue, now)
            return [_outcome(row) for row in rows] or [NothingMatched(id)]
    raise Contended(id)


def placed(
    draft: Reward, order: Order, promotion: Promotion, places: Places, *, timetable: Timetable, now: datetime
) -> Reward:
    """The row of a promotion that matched the order as it was placed: it holds a place, or found none."""
    assert promotion.quota  # noqa: S101 - else nothing would be held
    assert order.placed_at  # noqa: S101
    place = places.find(promotion, draft.member_id)
    if isinstance(place, NoPlace):
        return draft.change(place.reason, by="occupy", at=now, status=Status.NO_QUOTA)
    earned = entitled(draft.rule, order, draft.lines)
    held = draft.change(
        "placed",
        by="occupy",
        at=now,
        status=Status.OCCUPY,
        place=place,
        unpaid_until=order.placed_at + timedelta(minutes=promotion.quota.unpaid_minutes),
        base_amount=earned.base_amount,
        points=earned.points,
    )
    return replace(held, due=timetable.due("expire", held, now=now))


def _is_held(promotion: Promotion, order: Order) -> bool:
    """Whether a place may be held from now on; where nothing is kept any more to earn by, the payment decides."""
    occupies = promotion.quota is not None and promotion.quota.occupy
    return occupies and entitled(promotion.rule, order, eligible_lines(promotion, order)).points > 0


def _outcome(row: Reward) -> OfReward:
    return Occupied(row.id) if row.place else FoundNoPlace(row.id)
