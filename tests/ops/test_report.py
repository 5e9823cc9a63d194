"""The demo's report: two tables that fit an ordinary terminal, and a verdict."""

from rich.console import Console

from ops.demo.books import Books
from ops.demo.command import SAMPLE_PROMOTIONS
from ops.demo.report import Report, for_people, report_on
from ops.demo.sums import Sum
from ops.promotions import read
from tests.builders import a_paid_order

PROMOTIONS = read(SAMPLE_PROMOTIONS)
A_BIG_DAY = Sum(
    orders=999, rewards=999, granted=999, cancelled=999, without_place=999, unshipped=99, places=999, recycled=999,
    granted_points=99_999, recycled_points=9_999, granted_coupons=999, recycled_coupons=99,
)  # fmt: skip


def lines(report: Report) -> list[str]:
    console = Console(width=80)
    with console.capture() as captured:
        console.print(for_people(report))
    return captured.get().splitlines()


def test_a_big_day_fits_eighty_columns_with_nothing_cut_off() -> None:
    empty = report_on(Books(), PROMOTIONS)
    big = Report(
        by_story=dict.fromkeys(empty.by_story, A_BIG_DAY),
        by_promotion=dict.fromkeys(empty.by_promotion, A_BIG_DAY),
        total=A_BIG_DAY,
        members=999,
        checks=empty.checks,
    )
    told = lines(big)
    assert max(map(len, told)) <= 80
    assert "…" not in "\n".join(told)


def test_books_that_do_not_agree_are_said_not_to_add_up() -> None:
    assert lines(report_on(Books(), PROMOTIONS))[-1].strip() == "It adds up."
    order = a_paid_order(order_group="TG2611110050", decisions={"11001": "matched"})
    assert lines(report_on(Books(orders=[order]), PROMOTIONS))[-1].strip() == "It does not add up."
