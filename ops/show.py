"""`rewards show`: one order, what it earned, and how it came to that."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from msgspec import Struct
from rich.markup import escape
from rich.table import Table

from adapters.history import DynamoHistory
from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from ops.stack import Stack, connect
from ops.terminal import Aws, Json, out, print_json
from ops.trouble import Trouble
from rewards.errors import Invalid
from rewards.history import HistoryItem
from rewards.identifiers import identifier
from rewards.order import Order, OrderId
from rewards.reward import Reward


class Shown(Struct, frozen=True):
    """Everything the ledger knows of an order."""

    order: Order
    rewards: list[Reward]
    history: list[HistoryItem]


def show(
    order: Annotated[str, typer.Argument(metavar="SHOP/ORDER_GROUP", help="The order, like 1/TG2611110042.")],
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Show an order: what was bought and came back, what each promotion gave or why not, and every change since.

    Times are in the shop's zone; in JSON they are in UTC.
    """
    id = order_id(order)
    stack = connect(aws=aws)
    shown = look_up(id, stack)
    if as_json:
        print_json(shown)
        return
    _print_order(shown.order, stack.zone)
    _print_rewards(shown.rewards, stack.zone)
    _print_decisions(shown.order)
    _print_history(shown.history, stack.zone)


def order_id(text: str) -> OrderId:
    """SHOP/ORDER_GROUP; the order group may have a slash of its own."""
    shop, slash, order_group = text.partition("/")
    try:
        if slash:
            return OrderId(identifier(shop, "SHOP"), identifier(order_group, "ORDER_GROUP"))
    except Invalid as invalid:
        raise typer.BadParameter(str(invalid)) from None
    raise typer.BadParameter(f"{text!r} is not SHOP/ORDER_GROUP, like 1/TG2611110042")


def look_up(id: OrderId, stack: Stack) -> Shown:
    quota = DynamoQuota(stack.dynamodb, stack["QuotaTableName"])
    ledger = DynamoLedger(stack.dynamodb, stack["LedgerTableName"], quota)
    order = ledger.order(id)
    if order is None:
        raise Trouble(f"The ledger knows no order {'/'.join(id)}: nothing was paid or returned under this name.")
    history = DynamoHistory(stack.dynamodb, stack["LedgerTableName"]).of_order(id)
    return Shown(order, ledger.rewards(id), sorted(history, key=lambda change: (change.at, change.version)))


def _print_order(order: Order, zone: ZoneInfo) -> None:
    out.print(f"[bold]Order {escape('/'.join(order.id))}[/]", end="  ")
    if order.ordered_at is None:
        out.print("is not known to be paid; only what came back of it is.")
    else:
        total = sum(line.amount for line in order.lines)
        paid = f"paid {_local(order.paid_at, zone)}" if order.is_paid else "not paid"
        out.print(
            f"{escape(order.member_id or 'a guest')} · {order.source} · {total:,} {order.currency} · "
            f"ordered {_local(order.ordered_at, zone)} · {paid}"
        )
    for line in order.lines:
        categories = f" ({', '.join(line.categories)})" if line.categories else ""
        out.print(f"  {escape(line.line)}: {line.quantity} × {escape(line.sku + categories)}, {line.amount:,}")
    for return_id, back in order.returns.items():
        lines = (
            "all of it" if back.lines == "all" else ", ".join(f"{each.quantity} of {each.line}" for each in back.lines)
        )
        out.print(f"  came back {_local(back.occurred_at, zone)}: {escape(lines)} [dim]({escape(return_id)})[/]")


def _print_rewards(rewards: Iterable[Reward], zone: ZoneInfo) -> None:
    table = _table("promotion", "status", "on", "points", "taken back", "short", "booked for", "granted", "last change")
    for row in rewards:
        table.add_row(
            row.id.promotion_id,
            f"{row.status} [red](held: {escape(row.held)})[/]" if row.held else row.status,
            f"{row.base_amount:,.2f}",
            f"{row.points:,}",
            f"{row.recycle_points:,}" if row.is_recycle else "",
            f"{row.shortfall:,}" if row.shortfall else "",
            _local(row.booking_time, zone),
            _local(row.granted_at, zone),
            escape(row.update_reason),
        )
    _print("Rewards", table)


def _print_decisions(order: Order) -> None:
    table = _table("promotion", "decided when it was paid")
    for promotion_id, reason in order.decisions.items():
        table.add_row(escape(promotion_id), escape(reason))
    _print("Promotions", table)


def _print_history(history: Iterable[HistoryItem], zone: ZoneInfo) -> None:
    table = _table("when", "promotion", "status", "points", "taken back", "why", "by")
    for change in history:
        table.add_row(
            _local(change.at, zone, seconds=True),
            change.id.promotion_id,
            change.after if change.before in (None, change.after) else f"{change.before} → {change.after}",
            f"{change.points:,}",
            f"{change.recycle_points:,}" if change.recycle_points else "",
            escape(change.reason),
            change.actor,
        )
    _print("History", table)


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in ("on", "points", "taken back", "short") else "left")
    return table


def _print(title: str, table: Table) -> None:
    if table.row_count:
        out.print(f"\n[bold]{title}[/]")
        out.print(table)


def _local(at: datetime | None, zone: ZoneInfo, *, seconds: bool = False) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M{':%S' if seconds else ''}}" if at else ""
