"""One order as a whole: its rewards against what was bought and came back, and each one's history.

The ledger is read while orders go on: a row that changed lately may be further than what stands beside it, so it is
judged by that the day after. `AsOf` says what is lately.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from rewards.auditing.effects import CouponEntry, PointsEntry, audit_coupons, audit_points, operation, strangers
from rewards.auditing.finding import Finding, found
from rewards.auditing.rows import audit_row
from rewards.auditing.times import audit_slot, audit_time
from rewards.deciding import MATCHED
from rewards.due import parse
from rewards.entitlement import entitled
from rewards.history import HistoryItem
from rewards.order import Order, OrderId
from rewards.reward import Reward, RewardId
from rewards.status import Status, is_legal
from rewards.timetable import Timetable
from rewards.windows import begun

AT_WORK = timedelta(hours=1)
"""What happened in the hour before may be under way: a message on its way, a stream's reader behind."""

STUCK = timedelta(days=1)
"""How long past its time is no delay any more."""


class AsOf(NamedTuple):
    """When the tables were read: first the `books` of the providers and quotas, and then the `ledger`."""

    books: datetime
    ledger: datetime

    def is_still(self, row: Reward) -> bool:
        """Whether nothing has happened to the row since a while before the books were read."""
        return row.changed_at < self.books - AT_WORK


class OrderBook(NamedTuple):
    """All that the tables hold about one order."""

    id: OrderId
    order: Order | None
    rows: list[Reward]
    history: list[HistoryItem]
    points: list[PointsEntry]
    coupons: list[CouponEntry]


def audit_order(book: OrderBook, timetable: Timetable, as_of: AsOf) -> Iterator[Finding]:
    """What is wrong with the order's rewards, by all the ledger knows of itself."""
    rows = {row.id: row for row in book.rows}
    for row in book.rows:
        yield from audit_row(row)
        yield from audit_slot(row)
        if not 0 < row.changed_version <= row.version:
            yield found("version", row, f"the last change is said to be version {row.changed_version}")
        yield from _stuck(row, timetable, as_of)
        if book.order is None:
            yield found("orphan", row, "there is no such order")
            continue
        if book.order.decisions.get(row.id.promotion_id) != MATCHED:
            yield found("orphan", row, "the order was not decided to match")
        yield from audit_time(row, book.order, timetable, is_still=as_of.is_still(row))
        if _is_quiet(row, book.order, as_of):
            yield from _amount(row, book.order)
    for promotion_id, decision in (book.order.decisions if book.order else {}).items():
        if decision == MATCHED and (id := RewardId(*book.id, promotion_id)) not in rows:
            yield Finding("lost", "/".join(id), "the order matched, and there is no reward")
    yield from _histories(book, rows, as_of)


def audit_effects(book: OrderBook, as_of: AsOf) -> Iterator[Finding]:
    """What the providers did and the order's rewards do not tell, or the other way about."""
    yield from strangers([*book.points, *book.coupons], {row.id: row for row in book.rows})
    for row in filter(as_of.is_still, book.rows):
        yield from audit_points(row, [entry for entry in book.points if operation(entry.key).id == row.id])
        yield from audit_coupons(row, [entry for entry in book.coupons if operation(entry.key).id == row.id])


def _is_quiet(row: Reward, order: Order, as_of: AsOf) -> bool:
    """Whether row and order agree by now, if they ever will."""
    told = max((each.occurred_at for each in order.returns.values()), default=row.changed_at)
    return not row.lock and not row.return_pending and as_of.is_still(row) and told < as_of.books - AT_WORK


def _amount(row: Reward, order: Order) -> Iterator[Finding]:
    """Sums again from the stored rule: what waits is what the kept lines earn, what was taken is what they do not."""
    earned = entitled(row.rule, order, row.lines).points
    taken = row.recycle_points + row.shortfall
    if row.status is Status.WAIT and row.points != earned:
        yield found("amount", row, f"{row.points} wait to be granted, the lines kept earn {earned}")
    if row.status is not Status.REWARD or row.due or row.held:
        return
    owed_back = max(0, row.points - earned)
    if taken != owed_back:
        yield found("amount", row, f"{taken} were taken back of {row.points}, the lines kept earn {earned}")


def _stuck(row: Reward, timetable: Timetable, as_of: AsOf) -> Iterator[Finding]:
    late = as_of.ledger - STUCK
    if row.due:
        slot = begun(parse(row.due.sort).slot)
        if slot + timetable.period < late:
            yield found("stuck", row, f"it has been due since {slot.isoformat()}")
    if row.due and row.lock and row.lock.until < late:
        yield found("stuck", row, f"it was claimed, and let lie since {row.lock.until.isoformat()}")
    if row.status is Status.OCCUPY and row.unpaid_until and row.unpaid_until < as_of.ledger - AT_WORK:
        yield found("stuck", row, f"it holds a place since it was not paid by {row.unpaid_until.isoformat()}")


def _histories(book: OrderBook, rows: dict[RewardId, Reward], as_of: AsOf) -> Iterator[Finding]:
    chains: dict[RewardId, list[HistoryItem]] = {id: [] for id in rows}
    for item in sorted(book.history, key=lambda item: item.version):
        if item.id in chains:
            chains[item.id].append(item)
        else:
            yield Finding("orphan", "/".join(item.id), "a history without its reward", item.version)
    for id, chain in chains.items():
        yield from _chain(rows[id], chain, as_of)


def _chain(row: Reward, chain: list[HistoryItem], as_of: AsOf) -> Iterator[Finding]:
    """From nothing to the row as it stands, each item the one after the one it names."""
    if as_of.is_still(row) and (not chain or chain[-1].version != row.changed_version):
        last = f"ends with version {chain[-1].version}" if chain else "is missing"
        yield found("history", row, f"it {last}, the last change was version {row.changed_version}")
    elif as_of.is_still(row) and chain[-1].after is not row.status:
        yield found("history", row, f"it ends with {chain[-1].after}, and the row says {row.status}")
    if chain and (chain[0].previous is not None or chain[0].before is not None):
        yield found("history", row, f"it begins with version {chain[0].version}, which names {chain[0].previous}")
    for earlier, later in pairwise(chain):
        if later.previous != earlier.version or later.before is not earlier.after:
            yield found("history", row, f"version {later.version} does not follow version {earlier.version}")
    for item in chain:
        if not is_legal(item.before, item.after):
            yield found("transition", row, f"version {item.version}: {item.before} became {item.after}")
