"""Late lines: of an offline order that is booked already, more was sold than was known.

What waits is reckoned anew, and promotions that did not match are looked at again, so that it does not matter how many
files an order came in. What was granted stays as it was granted, for a person to judge.
"""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from rewards.booking import Booking, send_due
from rewards.deciding import MATCHED, Places, Promotions, matched
from rewards.entitlement import entitled
from rewards.errors import Invalid
from rewards.events import LINES_MOST
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.order import Line, Order
from rewards.outcomes import AlreadyPaid, Booked, HeldForPerson, OfOrder, OfReward, Raised, ToldOtherwise, Unchanged
from rewards.reward import Held, Reward
from rewards.routing import RewardQueue
from rewards.status import Status
from rewards.timetable import Timetable

BY = "match"


def add_lines(
    told: Order, ledger: Ledger, promotions: Promotions, at_once: RewardQueue, *, timetable: Timetable, now: datetime
) -> list[OfOrder | OfReward]:
    """Add the lines of `told` that the order, which is paid, does not have. Raises Contended while a row is claimed."""
    for attempt in range(DECISIONS_MAX):
        known = ledger.order(told.id)
        if known is None:
            raise LookupError(f"order {told.id} is gone")
        news, otherwise = _compared(told, known)
        if not news:
            return [ToldOtherwise(told.id) if otherwise else AlreadyPaid(told.id)]
        rows = ledger.rewards(told.id)
        if any(row.lock for row in rows):
            raise Contended(told.id)
        booking = Booking(promotions.of_shop(told.id.shop_id), Places(ledger, told.id, attempt), timetable, now)
        order, changes = Addition(known, news, booking).decide(rows)
        written = [(before if before.version else None, after) for before, after in changes if before is not after]
        if ledger.decide(known, order, written, booking.places.limits):
            send_due([after for _, after in changes], at_once, now)
            more = [ToldOtherwise(told.id)] if otherwise else []
            return [*(_outcome(before, after) for before, after in changes), *more]
    raise Contended(told.id)


class Addition(NamedTuple):
    """Lines that an order turned out to have besides those `known`, and the booking by which they count."""

    known: Order
    news: tuple[Line, ...]
    booking: Booking

    def decide(self, rows: Collection[Reward]) -> tuple[Order, list[tuple[Reward, Reward]]]:
        """The order with all its lines, and each of its rows, drafts included, before and after."""
        decided = {id: reason for id, reason in self.known.decisions.items() if reason == MATCHED}
        lines = self.known.lines + self.news
        order = replace(self.known, lines=lines, decisions=decided, version=self.known.version + 1)
        order, drafts = matched(order, self.booking.promotions, rows)
        order = replace(order, decisions={**self.known.decisions, **order.decisions})
        changes = [(row, self._changed(row, order)) for row in rows]
        return order, [*changes, *((draft, self.booking.paid(draft, order)) for draft in drafts)]

    def _changed(self, row: Reward, order: Order) -> Reward:
        before, counted = self.booking.counted(row, order, self.known.lines)
        if row.status is Status.REWARD:
            return self._granted(row, before, counted)
        lines = before + counted
        earned = entitled(row.rule, order, lines)
        if row.status is Status.CANCEL and earned.points:
            return self.booking.paid(replace(row, lines=lines), order)
        sums = {"points": earned.points, "base_amount": earned.base_amount}
        if row.status is Status.WAIT and not earned.points:  # by a return that was not seen yet
            return row.cancel("nothing left to earn", by=BY, at=self.booking.now, lines=lines, **sums)
        if row.status is Status.WAIT and earned.points != row.points:
            return row.change("lines came later", by=BY, at=self.booking.now, lines=lines, **sums)
        return row.with_lock(None, lines=lines)

    def _granted(self, row: Reward, before: tuple[str, ...], counted: tuple[str, ...]) -> Reward:
        """What was granted was granted for the lines known then: only they count when something comes back."""
        if not counted or row.held:
            return row.with_lock(None, lines=before)
        reason = f"lines came after it was granted: {', '.join(counted)}"
        held = Held("late lines", reason)
        return row.change("lines came after it was granted", by=BY, at=self.booking.now, lines=before, held=held)


def _compared(told: Order, known: Order) -> tuple[tuple[Line, ...], bool]:
    """The lines that are new, and whether something is told otherwise than before. Another member's order has none."""
    lines = {line.line: line for line in known.lines}
    news = tuple(line for line in told.lines if line.line not in lines)
    if told.member_id != known.member_id or told.currency != known.currency:
        return (), True
    if len(lines) + len(news) > LINES_MOST:
        raise Invalid("lines", f"the order comes to {len(lines) + len(news)} lines, more than {LINES_MOST}")
    return news, any(lines.get(line.line, line) != line for line in told.lines)


def _outcome(before: Reward, after: Reward) -> OfReward:
    match after.status:
        case Status.REWARD if after.held and not before.held:
            return HeldForPerson(after.id)
        case Status.WAIT if not before.version or before.status is Status.CANCEL:
            return Booked(after.id)
        case Status.WAIT:
            return Raised(after.id)
        case _:
            return Unchanged(after.id)
