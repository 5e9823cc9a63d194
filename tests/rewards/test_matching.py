from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.entitlement import entitled
from rewards.matching import eligible_lines, mismatch
from rewards.order import Order, OrderId
from tests.builders import a_line, a_promotion, a_return, an_order

BEGINS, ENDS = a_promotion().starts_at, a_promotion().ends_at
INSTANT = timedelta(microseconds=1)
MIXED = an_order(
    [a_line("L1", 600, categories=("Shoes",)), a_line("L2", 300, categories=("Hats", "Sale")), a_line("L3")]
)


def test_an_ordinary_order_matches_an_ordinary_promotion() -> None:
    assert mismatch(a_promotion(), an_order()) is None


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"member_id": None}, "no member: a guest earns nothing"),
        ({"currency": "USD"}, "the order is in USD, the promotion in TWD"),
        ({"ordered_at": BEGINS - INSTANT}, "ordered before the promotion began"),
        ({"ordered_at": ENDS}, "ordered after the promotion ended"),
    ],
)
def test_an_order_that_does_not_match_is_told_why(changed: dict[str, object], reason: str) -> None:
    assert mismatch(a_promotion(), an_order(**changed)) == reason


@pytest.mark.parametrize("at", [BEGINS, ENDS - INSTANT])
def test_a_promotion_is_valid_from_its_first_instant_up_to_its_end(at: object) -> None:
    assert mismatch(a_promotion(), an_order(ordered_at=at)) is None


def test_an_order_of_which_only_returns_are_known_matches_nothing() -> None:
    tombstone = Order(id=OrderId("1", "TG1"), returns={"R1": a_return("all")})
    assert mismatch(a_promotion(), tombstone) == "the order was not placed yet"


def test_a_promotion_may_be_for_one_source() -> None:
    assert mismatch(a_promotion(sources=("ECom",)), an_order(source="ECom")) is None
    assert mismatch(a_promotion(sources=("ECom",)), an_order(source="Others")) == "orders from Others do not count"


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ({}, None),
        ({"skus": ("SKU-L1", "SKU-L3")}, ("L1", "L3")),
        ({"categories": ("Shoes", "Sale")}, ("L1", "L2")),
        ({"exclude_skus": ("SKU-L2",)}, ("L1", "L3")),
        ({"skus": ("SKU-L1", "SKU-L3"), "categories": ("Shoes", "Sale")}, ("L1",)),
        ({"skus": ("SKU-L1",), "exclude_skus": ("SKU-L1",)}, ()),
        ({"categories": ("shoes",)}, ()),
    ],
)
def test_each_list_that_is_not_empty_asks_for_something(
    asked: dict[str, tuple[str, ...]], lines: tuple[str, ...] | None
) -> None:
    assert eligible_lines(a_promotion(**asked), MIXED) == lines
    assert mismatch(a_promotion(**asked), MIXED) == ("none of its lines counts" if lines == () else None)


def test_the_least_sum_is_that_of_the_lines_that_count() -> None:
    shoes = {"categories": ("Shoes",)}
    assert mismatch(a_promotion(min_amount=Decimal(600), **shoes), MIXED) is None
    assert (
        mismatch(a_promotion(min_amount=Decimal("600.01"), **shoes), MIXED)
        == "the lines that count come to 600, which is below 600.01"
    )


def test_what_came_back_since_does_not_change_the_match() -> None:
    returned = an_order(returns={"R1": a_return("all")})
    assert mismatch(a_promotion(min_amount=Decimal(1000)), returned) is None


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_an_order_that_matches_has_at_least_the_sum_its_rule_asks_for(amount: int, least: int) -> None:
    promotion, order = a_promotion(min_amount=Decimal(least)), an_order([a_line("L1", amount)])
    base = entitled(promotion.rule, order, eligible_lines(promotion, order)).base_amount
    assert (mismatch(promotion, order) is None) == (base >= least)
