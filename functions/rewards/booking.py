"""Booking: a paid order's promotions are decided, once, and what it earned is written with its booking time."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from rewards.deciding import Places, Promotions, carried_on, matched
from rewards.entitlement import entitled
from rewards.events import PaymentCompleted
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.matching import eligible_lines
from rewards.order import Line, Order
from rewards.outcomes import (
    AlreadyPaid,
    Booked,
    FoundNoPlace,
    HeldForPerson,
    NothingMatched,
    NothingToEarn,
    OfOrder,
    OfReward,
)
from rewards.promotion import Promotion
from rewards.quota import NoPlace
from rewards.reward import Held, Place, Reward
from rewards.routing import RewardQueue
from rewards.status import Status
from rewards.timetable import Timetable


def book(
    event: PaymentCompleted,
    ledger: Ledger,
    promotions: Promotions,
    at_once: RewardQueue,
    *,
    timetable: Timetable,
    now: datetime,
) -> list[OfOrder | OfReward]:
    """Decide every promotion of the order that was paid, in one transaction, and send what is due already.

    A repeat decides nothing; it only sends again, in case the first delivery died before it could.
    """
    id = event.order.id
    for attempt in range(DECISIONS_MAX):
        known = ledger.order(id)
        order = carried_on(event.order, known)
        if known and known.is_paid:
            outcomes = _paid_again(event, known, ledger, now)
            send_due(ledger.rewards(id), at_once, now)
            return outcomes
        rows = ledger.rewards(id) if order.placed_at else []
        order = replace(order, paid_at=event.occurred_at, paid_by=event.event_id)
        booking = Booking(promotions.of_shop(id.shop_id), Places(ledger, id, attempt), timetable, now)
        order, changes = booking.decide(order, rows, placed=known.lines if known else ())
        written = [(before if before.version else None, after) for before, after in changes if before is not after]
        if ledger.decide(known, order, written, booking.places.limits):
            send_due([after for _, after in changes], at_once, now)
            return [_outcome(after) for _, after in changes] or [NothingMatched(id)]
    raise Contended(id)


class Booking(NamedTuple):
    """One try to book an order: the promotions stored at this time, and the places they have left."""

    promotions: Collection[Promotion]
    places: Places
    timetable: Timetable
    now: datetime

    def decide(
        self, order: Order, rows: Collection[Reward], placed: tuple[Line, ...]
    ) -> tuple[Order, list[tuple[Reward, Reward]]]:
        """The paid order with all its decisions, and each of its rows, drafts included, before and after.

        The rows were decided for the lines that were `placed`. It may be paid with others.
        """
        order, drafts = matched(order, self.promotions, rows)
        changes = [(row, self._recounted(row, order, placed)) for row in rows]
        return order, [*changes, *((draft, self.paid(draft, order)) for draft in drafts)]

    def paid(self, row: Reward, order: Order) -> Reward:
        """The row once its order is paid: what it earns is owed, if the promotion has a place for it.

        The place it has held since the order was placed becomes the reward's. One that was let go is looked for again;
        one that found none when it was placed stays without.
        """
        earned = entitled(row.rule, order, row.lines)
        if row.status is Status.NO_QUOTA:
            return row
        if not earned.points:
            return self._nothing_to_earn(row)
        place = row.place or self._find_place(row)
        if isinstance(place, NoPlace):
            return row.change(place.reason, by="book", at=self.now, status=Status.NO_QUOTA)
        owed = row.change(
            "paid",
            by="book",
            at=self.now,
            status=Status.WAIT,
            place=place,
            booking_time=self.timetable.booking_time(row.rule.timing, order, row.id.promotion_id),
            unpaid_until=None,
            base_amount=earned.base_amount,
            points=earned.points,
        )
        is_due = owed.booking_time is not None  # else it waits for the parcel to leave
        return replace(owed, due=self.timetable.due("reward", owed, now=self.now) if is_due else None)

    def counted(self, row: Reward, order: Order, known: tuple[Line, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the order's lines that count for a row that was decided when there were only those `known`.

        First those that counted already, then those that came since and count by the promotion as it is stored now;
        none of these, if it is not stored any more.
        """
        known_ids, there = [line.line for line in known], {line.line for line in order.lines}
        before = tuple(id for id in (known_ids if row.lines is None else row.lines) if id in there)
        news = tuple(line for line in order.lines if line.line not in known_ids)
        promotion = self._stored(row)
        since = eligible_lines(promotion, replace(order, lines=news)) if promotion else ()
        return before, tuple(line.line for line in news) if since is None else since

    def _recounted(self, row: Reward, order: Order, placed: tuple[Line, ...]) -> Reward:
        if {line.line for line in order.lines} == {line.line for line in placed}:
            return self.paid(row, order)
        before, since = self.counted(row, order, placed)
        recounted = replace(row, lines=before + since)
        after = self.paid(recounted, order)
        return row.with_lock(None, lines=recounted.lines) if after is recounted else after

    def _nothing_to_earn(self, row: Reward) -> Reward:
        """What earns nothing any more lets its place go; what was cancelled before stays so."""
        if row.status is Status.CANCEL and row.version:
            return row
        return row.cancel("paid, nothing left to earn", by="book", at=self.now)

    def _find_place(self, row: Reward) -> Place | NoPlace | None:
        promotion = self._stored(row)
        return self.places.find(promotion, row.member_id) if promotion else None

    def _stored(self, row: Reward) -> Promotion | None:
        """None once it is not stored any more: then nobody limits it, and no new line counts by it."""
        return next((each for each in self.promotions if each.promotion_id == row.id.promotion_id), None)


def _paid_again(event: PaymentCompleted, order: Order, ledger: Ledger, now: datetime) -> list[OfOrder | OfReward]:
    """Another payment, under another event id, of an order whose reward was taken back: for a person to judge."""
    if event.event_id == order.paid_by:
        return [AlreadyPaid(order.id)]
    held: list[OfOrder | OfReward] = []
    for reward in ledger.rewards(order.id):
        if reward.is_recycle and not reward.held:
            reason = f"paid again by event {event.event_id} after it was taken back"
            after = reward.change(reason, by="book", at=now, held=Held("paid again", reason))
            if not ledger.write_reward(reward, after):
                raise Contended(reward.id)
            held.append(HeldForPerson(reward.id))
    return held or [AlreadyPaid(order.id)]


def send_due(rewards: Iterable[Reward], at_once: RewardQueue, now: datetime) -> None:
    if due := [reward for reward in rewards if reward.is_due(now)]:
        at_once.send(due)


def _outcome(after: Reward) -> OfReward:
    match after.status:
        case Status.WAIT:
            return Booked(after.id)
        case Status.NO_QUOTA:
            return FoundNoPlace(after.id)
        case _:
            return NothingToEarn(after.id)
