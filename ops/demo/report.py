"""What the demo shows at its end: the day in two tables, and whether it adds up."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ops.demo.books import Books
from ops.demo.checks import Check, checks
from ops.demo.orders import RUSH, STORIES, sample_orders
from ops.demo.sums import Sum, added_up
from ops.terminal import plain
from rewards.promotion import Promotion


class Report(Struct, frozen=True):
    """The day by what happened to an order, by promotion, and in all; with the checks."""

    by_story: dict[str, Sum]
    by_promotion: dict[str, Sum]
    total: Sum
    members: int
    checks: list[Check]

    @property
    def adds_up(self) -> bool:
        return all(check.holds for check in self.checks)


def report_on(books: Books, promotions: Iterable[Promotion]) -> Report:
    stories = {order.order_group: order.story for order in sample_orders()}
    return Report(
        by_story={
            story: added_up(
                (order for order in books.orders if stories[order.id.order_group] == story),
                (reward for reward in books.rewards if stories[reward.id.order_group] == story),
            )
            for story in RUSH | STORIES
        },
        by_promotion={
            promotion.name: added_up(
                (order for order in books.orders if promotion.promotion_id in order.decisions),
                (reward for reward in books.rewards if reward.id.promotion_id == promotion.promotion_id),
            )
            for promotion in promotions
        },
        total=added_up(books.orders, books.rewards),
        members=len(books.accounts),
        checks=checks(books, promotions),
    )


Columns = Mapping[str, Callable[[Sum], int]]

OF_STORIES: Columns = {
    "orders": lambda each: each.orders,
    "granted": lambda each: each.granted,
    "cancelled": lambda each: each.cancelled,
    "no place": lambda each: each.without_place,
    "waiting": lambda each: each.waiting,
    "points": lambda each: each.kept_points,
    "coupons": lambda each: each.kept_coupons,
}
"""Orders, what became of their rewards, and what the members hold in the end."""

OF_PROMOTIONS: Columns = {
    "rewards": lambda each: each.rewards,
    "granted": lambda each: each.granted,
    "recycled": lambda each: each.recycled,
    "places": lambda each: each.places,
    "given": lambda each: each.granted_points + each.granted_coupons,
    "taken back": lambda each: each.recycled_points + each.recycled_coupons,
    "kept": lambda each: each.kept_points + each.kept_coupons,
}
"""Rewards, and the points, or coupons, that came of them."""


def for_people(report: Report) -> RenderableType:
    verdict = "It adds up." if report.adds_up else "It does not add up."
    return Group(
        "",
        _table(
            "Orders by what happened to them, and what became of their rewards",
            OF_STORIES,
            report.by_story | {"in all": report.total},
        ),
        "",
        _table("By promotion, in points or in coupons", OF_PROMOTIONS, report.by_promotion),
        "",
        *(Text.assemble(("✓ ", "green") if check.holds else ("✗ ", "red"), check.words) for check in report.checks),
        Text(verdict, style="bold green" if report.adds_up else "bold red"),
    )


def for_programs(report: Report) -> dict[str, Any]:
    return {**asdict(report), "adds_up": report.adds_up}


def _table(title: str, columns: Columns, rows: Mapping[str, Sum]) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=None, header_style="dim", padding=(0, 1, 0, 0)
    )
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    for name, each in rows.items():
        numbers = [_number(count(each)) for count in columns.values()]
        table.add_row(plain(name), *numbers, style="bold" if name == "in all" else None)
    return table


def _number(number: int) -> str:
    return f"{number:,}" if number else "·"
