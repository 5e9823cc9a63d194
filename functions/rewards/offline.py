"""Offline orders: what a shop's file says of an order becomes the same booking and withdrawal as online.

Every row has an identity, so that the same file, an overlapping one or a corrected one adds only what is new: of what
was paid the line, of what came back the return and the line.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from rewards.booking import book
from rewards.crm_messages import Batch, BatchQueue
from rewards.crm_orders import CrmOrder, CrmReturn
from rewards.deciding import Promotions
from rewards.events import PaymentCompleted
from rewards.late_lines import add_lines
from rewards.ledger import Ledger
from rewards.order import ONLINE, Order, OrderId, Return, ReturnedLine
from rewards.outcomes import AlreadyPaid, LeftToEvents, OfOrder, OfReward
from rewards.promotion import Promotion
from rewards.routing import RewardQueue
from rewards.timetable import Timetable
from rewards.withdrawal import take_back


class Stored(NamedTuple):
    """Promotions as they were when a batch began: they are read once for all its orders."""

    promotions: list[Promotion]

    def of_shop(self, shop_id: str) -> list[Promotion]:
        return [promotion for promotion in self.promotions if promotion.shop_id == shop_id]


def match(
    batch: Batch,
    ledger: Ledger,
    promotions: Promotions,
    at_once: RewardQueue,
    recycles: RewardQueue,
    again: BatchQueue,
    *,
    timetable: Timetable,
    now: datetime,
) -> list[OfOrder | OfReward]:
    """What came of each order. One that fails goes on in a message of its own; alone, it raises what it met."""
    shop_id, stored = batch.shop_id, Stored(promotions.of_shop(batch.shop_id))
    outcomes: list[OfOrder | OfReward] = []
    for told in batch.orders:
        try:
            outcomes += take_in(told, shop_id, ledger, stored, at_once, recycles, timetable=timetable, now=now)
        except Exception:
            if len(batch.orders) == 1:
                raise
            again.send([replace(batch, orders=(told,))])
    return outcomes


def take_in(
    told: CrmOrder,
    shop_id: str,
    ledger: Ledger,
    promotions: Promotions,
    at_once: RewardQueue,
    recycles: RewardQueue,
    *,
    timetable: Timetable,
    now: datetime,
) -> list[OfOrder | OfReward]:
    """Keep what came back of the order, then book what was paid: so a new order earns only what is left of it.

    Of an online order only the returns count, those whose event never came; its payment is for its events to tell.
    """
    id = OrderId(shop_id, told.order_group)
    outcomes: list[OfOrder | OfReward] = []
    if told.returns:
        missing = partial(missing_returns, told)
        outcomes += take_back(id, missing, ledger, recycles, timetable=timetable, now=now)
    if not told.lines:
        return outcomes
    known = ledger.order(id)
    if known and known.source == ONLINE:
        return [*outcomes, LeftToEvents(id)]
    payment = _payment(told, id, known)
    booked = book(payment, ledger, promotions, at_once, timetable=timetable, now=now)
    if any(isinstance(outcome, AlreadyPaid) for outcome in booked):
        booked = add_lines(payment.order, ledger, promotions, at_once, timetable=timetable, now=now)
    return outcomes + booked


def missing_returns(told: CrmOrder, order: Order) -> dict[str, Return]:
    """What the file tells of returns that the order does not have, by return id."""
    is_online = (order.source or told.source) == ONLINE
    missing: dict[str, Return] = {}
    for row in told.returns:
        returns = {**order.returns, **missing}
        found = _beyond(row, returns.values()) if is_online else _unknown(row, returns)
        if found:
            id, line = found
            missing[id] = Return((line,), row.occurred_at, told.currency, row.member_id)
    return missing


def _payment(told: CrmOrder, id: OrderId, known: Order | None) -> PaymentCompleted:
    """The till's payment. Of an order that is paid already it is the same one, told once more."""
    return PaymentCompleted(
        event_id=known.paid_by if known and known.paid_by else f"crm:{told.order_group}",
        occurred_at=told.ordered_at,
        order=Order(
            id=id,
            member_id=told.member_id,
            source=told.source,
            currency=told.currency,
            ordered_at=told.ordered_at,
            lines=told.lines,
        ),
    )


def _unknown(row: CrmReturn, returns: Mapping[str, Return]) -> tuple[str, ReturnedLine] | None:
    """A row of an offline order, unless its return has it. The return may be known without this line of it."""
    id = row.return_id or f"crm:{row.line}"
    if id in returns and not _has_line(returns[id], row.line):
        id = f"{id}:{row.line}"
    return None if id in returns else (id, ReturnedLine(row.line, row.quantity, row.amount))


def _beyond(row: CrmReturn, returns: Collection[Return]) -> tuple[str, ReturnedLine] | None:
    """What a row of an online order, which states all that came back of the line so far, has beyond the known returns.

    Where those have no amounts, the rest has none either: pro rata then.
    """
    if any(told.lines == "all" for told in returns):
        return None
    pieces = [
        each for told in returns for each in told.lines if isinstance(each, ReturnedLine) and each.line == row.line
    ]
    quantity = row.quantity - sum(each.quantity for each in pieces)
    if quantity <= 0:
        return None
    amounts = [each.amount for each in pieces if each.amount is not None]
    amount = max(row.amount - sum(amounts), row.amount * 0) if len(amounts) == len(pieces) else None
    return f"crm:{row.line}:{row.quantity}", ReturnedLine(row.line, quantity, amount)


def _has_line(told: Return, line: str) -> bool:
    return told.lines == "all" or any(each.line == line for each in told.lines)
