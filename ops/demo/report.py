"""What the demo shows at its end: the day in two tables, and whether it adds up."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ops.demo.day import STORIES, sample_orders
from ops.demo.stock import Check, Stock, Sum, added_up, checks
from rewards.promotion import Promotion


class Report(Struct, frozen=True):
    """The day by what happened to an order, by promotion, and in all; with the checks."""

    by_story: dict[str, Sum]
    by_promotion: dict[str, Sum]
    total: Sum
    members: int
    wallets: int
    checks: list[Check]

    @property
    def adds_up(self) -> bool:
        return all(check.holds for check in self.checks)


def report_on(stock: Stock, promotions: Iterable[Promotion]) -> Report:
    stories = {order.order_group: order.story for order in sample_orders()}
    return Report(
        by_story={
            story: added_up(
                (order for order in stock.orders if stories[order.id.order_group] == story),
                (reward for reward in stock.rewards if stories[reward.id.order_group] == story),
            )
            for story in STORIES
        },
        by_promotion={
            promotion.name: added_up(
                (order for order in stock.orders if promotion.promotion_id in order.decisions),
                (reward for reward in stock.rewards if reward.id.promotion_id == promotion.promotion_id),
            )
            for promotion in promotions
        },
        total=added_up(stock.orders, stock.rewards),
        members=len(stock.accounts),
        wallets=stock.in_wallets,
        checks=checks(stock),
    )


def for_people(report: Report) -> RenderableType:
    verdict = "It adds up." if report.adds_up else "It does not add up."
    return Group(
        "",
        _table("What happened to the orders", report.by_story, report.total),
        "",
        _table("By promotion", report.by_promotion, report.total),
        "",
        *(Text.assemble(("✓ ", "green") if check.holds else ("✗ ", "red"), check.words) for check in report.checks),
        Text(verdict, style="bold green" if report.adds_up else "bold red"),
    )


def for_programs(report: Report) -> dict[str, Any]:
    return {**asdict(report), "adds_up": report.adds_up}


COLUMNS: dict[str, Callable[[Sum], int]] = {
    "orders": lambda each: each.orders,
    "booked": lambda each: each.booked,
    "granted": lambda each: each.granted,
    "points": lambda each: each.granted_points,
    "cancelled": lambda each: each.cancelled,
    "recycled": lambda each: each.recycled,
    "points ": lambda each: each.recycled_points,
    "wallets": lambda each: each.kept_points,
}
"""Rewards, but for the first column and where it says points: granted, taken back, and in the wallets now."""


def _table(title: str, rows: dict[str, Sum], total: Sum) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=None, header_style="dim", padding=(0, 1, 0, 0)
    )
    table.add_column("", no_wrap=True)
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for name, each in rows.items():
        table.add_row(name, *map(_number, (column(each) for column in COLUMNS.values())))
    table.add_row("in all", *map(_number, (column(total) for column in COLUMNS.values())), style="bold")
    return table


def _number(number: int) -> str:
    return f"{number:,}" if number else "·"
