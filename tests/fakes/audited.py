"""The audit of a world in memory: every write it saw, and what its tables hold in the end."""

from collections.abc import Iterator
from datetime import timedelta

from rewards.auditing.effects import CouponEntry, PointsEntry, operation
from rewards.auditing.finding import Finding
from rewards.auditing.orders import AsOf, OrderBook, audit_effects, audit_order
from rewards.auditing.times import audit_time
from rewards.auditing.writes import audit_write
from rewards.history import HistoryItem, change_between
from rewards.order import OrderId
from rewards.provider import Issued, Member
from tests.fakes.world import TIMETABLE, World


def findings_of(world: World) -> list[Finding]:
    return [*_of_writes(world), *_of_orders(world)]


def _of_writes(world: World) -> Iterator[Finding]:
    """With the order as it became: the stream's reader may be so late."""
    for write in world.ledger.writes:
        yield from audit_write(write, TIMETABLE)
        if row := write.booked:
            yield from audit_time(row, world.ledger.orders[row.id.order], TIMETABLE, is_still=False)


def _of_orders(world: World) -> Iterator[Finding]:
    books: dict[OrderId, OrderBook] = {
        id: OrderBook(id, order, [], [], [], []) for id, order in world.ledger.orders.items()
    }
    for id, row in world.ledger.rows.items():
        books[id.order].rows.append(row)
    for write in world.ledger.writes:
        if change := change_between(*write):
            books[change.after.id.order].history.append(HistoryItem.of(change))
    for key, points in world.points.entries.items():
        books[operation(key).id.order].points.append(PointsEntry(key, _owner(key, world), points))
    for entry in _coupon_entries(world):
        books[operation(entry.key).id.order].coupons.append(entry)
    an_age_later = world.now + timedelta(hours=2)
    as_of = AsOf(books=an_age_later, ledger=an_age_later)
    for book in books.values():
        yield from audit_order(book, TIMETABLE, as_of)
        yield from audit_effects(book, as_of)


def _coupon_entries(world: World) -> Iterator[CouponEntry]:
    for key, answer in world.coupons.issues.items():
        yield CouponEntry(key, _owner(key, world), codes=answer.codes if isinstance(answer, Issued) else ())
    for key, revoked in world.coupons.revokes.items():
        yield CouponEntry(key, _owner(key, world), revoked=revoked.revoked, used=revoked.used)


def _owner(key: str, world: World) -> Member:
    """Whose it is: these providers keep it to themselves."""
    id = operation(key).id
    return Member(id.shop_id, world.ledger.rows[id].member_id)
