"""Orders as they are asked for: which one is meant, and everything the ledger knows of it."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Annotated, NamedTuple, TypeVar

import typer

from adapters.history import DynamoHistory
from adapters.items import UNREADABLE
from adapters.ledger import DynamoLedger
from adapters.promotions import DynamoPromotions
from adapters.quota import DynamoQuota
from ops.stack import Stack
from ops.trouble import Trouble
from rewards.errors import Invalid
from rewards.history import HistoryItem
from rewards.identifiers import identifier
from rewards.order import Order, OrderId
from rewards.reward import Reward, RewardId

Found = TypeVar("Found")

OrderArgument = Annotated[
    str,
    typer.Argument(
        metavar="SHOP/ORDER_GROUP",
        help="The order, like 1/TG2611110042. Of several slashes the first counts that makes a known order.",
    ),
]


class Shown(NamedTuple):
    """Everything the ledger knows of an order, and the names of the shop's promotions, by id."""

    order: Order
    rewards: list[Reward]
    history: list[HistoryItem]
    names: Mapping[str, str]


def order_ids(text: str) -> list[OrderId]:
    """What SHOP/ORDER_GROUP may mean: either may have slashes of its own, so any of them may part the two."""
    ids, problem = list[OrderId](), f"{text!r} is not SHOP/ORDER_GROUP, like 1/TG2611110042"
    for place in (place for place, character in enumerate(text) if character == "/"):
        try:
            ids.append(OrderId(identifier(text[:place], "SHOP"), identifier(text[place + 1 :], "ORDER_GROUP")))
        except Invalid as invalid:
            problem = str(invalid)
    if not ids:
        raise typer.BadParameter(problem)
    return ids


class UnknownOrder(Trouble):
    """The ledger has nothing of such an order."""


def first_known(ids: list[OrderId], look_up: Callable[[OrderId], Found]) -> Found:
    """What is found of the first of these orders that is known. Raises what the last one's look-up raises."""
    for id in ids[:-1]:
        with suppress(UnknownOrder):
            return look_up(id)
    return look_up(ids[-1])


def look_up(id: OrderId, stack: Stack) -> Shown:
    """Everything there is. Raises UnknownOrder, and Trouble where a hand has made an item what no step writes."""
    try:
        return _look_up(id, stack)
    except UNREADABLE as error:
        raise Trouble(
            f"An item of order {'/'.join(id)}, or a promotion of its shop, cannot be read: {error}. "
            "No step writes such; `rewards audit` names the items of the ledger that are none."
        ) from None


def _look_up(id: OrderId, stack: Stack) -> Shown:
    quota = DynamoQuota(stack.dynamodb, stack["QuotaTableName"])
    ledger = DynamoLedger(stack.dynamodb, stack["LedgerTableName"], quota)
    order = ledger.order(id)
    if order is None:
        raise UnknownOrder(
            f"The ledger knows no order {'/'.join(id)}: nothing was paid, shipped or returned under this name. "
            "An order that was only placed is kept where a promotion holds places for it."
        )
    history = DynamoHistory(stack.dynamodb, stack["LedgerTableName"]).of_order(id)
    stored = DynamoPromotions(stack.dynamodb, stack["PromotionsTableName"]).of_shop(id.shop_id)
    names = {promotion.promotion_id: promotion.name for promotion in stored}
    return Shown(order, ledger.rewards(id), in_order(history), names)


def in_order(history: Iterable[HistoryItem]) -> list[HistoryItem]:
    """By time, and each reward's changes by version: a message takes its time before it finds what to change."""
    latest: dict[RewardId, datetime] = {}
    timeline = []
    for change in sorted(history, key=lambda change: change.version):
        latest[change.id] = max(change.at, latest.get(change.id, change.at))
        timeline.append((latest[change.id], change.version, change))
    return [change for *_, change in sorted(timeline, key=lambda entry: entry[:2])]
