from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.errors import Invalid
from rewards.money import amount, currency


@pytest.mark.parametrize("text", ["0", "1", "1000", "1000.50", "0.000001", "999999999999.999999", "007"])
def test_a_decimal_string_is_kept_exactly_as_written(text: str) -> None:
    assert str(amount(text, "amount")) == str(Decimal(text))


@pytest.mark.parametrize(
    "value",
    [
        1000, 10.5, True, None, ["1"],
        "", " ", "1e3", "1E3", "NaN", "nan", "Infinity", "-Infinity", "sNaN", "-0", "-1", "+1", " 1", "1 ", "1\n",
        "1,000", "1_000", ".5", "5.", "1.2.3", "0x10", "１０", "²", "١", "1000000000000", "0.0000001", "$1", "TWD 1",
    ],
)  # fmt: skip
def test_what_is_no_plain_decimal_string_is_refused(value: object) -> None:
    with pytest.raises(Invalid, match=r"^order\.lines\[2\]\.amount: .* is not a decimal string"):
        amount(value, "order.lines[2].amount")


def test_the_refusal_quotes_the_value() -> None:
    with pytest.raises(Invalid) as refused:
        amount("1e3", "order.lines[2].amount")
    assert str(refused.value).startswith("order.lines[2].amount: '1e3' is not a decimal string")


def test_a_huge_value_is_quoted_in_part_only() -> None:
    with pytest.raises(Invalid) as refused:
        amount("9" * 100_000, "amount")
    assert len(str(refused.value)) < 200


@given(st.text(max_size=10))
def test_any_text_is_an_amount_of_zero_or_more_or_is_refused(text: str) -> None:
    try:
        value = amount(text, "amount")
    except Invalid:
        return
    assert value.is_finite()
    assert value >= 0
    assert not value.is_signed()


@pytest.mark.parametrize("code", ["TWD", "USD", "JPY"])
def test_a_currency_is_its_three_letters(code: object) -> None:
    assert currency(code, "currency") == code


@pytest.mark.parametrize("code", [None, 901, "", "twd", "TW", "TWDD", "TW1", " TWD", "TWD\n", "ＴＷＤ", "NT$"])
def test_what_is_no_currency_code_is_refused(code: object) -> None:
    with pytest.raises(Invalid, match="is not a currency code"):
        currency(code, "currency")
