from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.errors import Invalid, TooNew
from rewards.fields import Fields, decoded

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def test_every_refusal_says_where_in_the_message_it_lies() -> None:
    message = Fields({"order": {"lines": [{"amount": "1"}, {"amount": "1e3"}]}})
    lines = message.nested("order").each("lines", 1, 200)
    assert lines[0].amount("amount") == Decimal(1)
    with pytest.raises(Invalid, match=r"^order\.lines\[1\]\.amount: '1e3' is not a decimal string"):
        lines[1].amount("amount")


@pytest.mark.parametrize("message", [{}, {"order": None}])
def test_a_field_that_is_null_is_missing(message: object) -> None:
    assert "order" not in Fields(message)
    with pytest.raises(Invalid, match=r"^order: is missing$"):
        Fields(message).nested("order")


@pytest.mark.parametrize("value", [2.0, 2.5, "2", True, False, [2]])
def test_what_is_not_whole_is_not_rounded_to_a_whole_number(value: object) -> None:
    with pytest.raises(Invalid, match=r"^quantity: .* is not a whole number$"):
        Fields({"quantity": value}).whole("quantity", 0, 10)


@pytest.mark.parametrize("value", [0, -1, 11, 10**30])
def test_a_whole_number_out_of_range_is_refused(value: int) -> None:
    with pytest.raises(Invalid, match=r"^quantity: .* is not between 1 and 10$"):
        Fields({"quantity": value}).whole("quantity", 1, 10)


def test_a_choice_is_one_of_those_there_are() -> None:
    assert Fields({"rounding": "ceil"}).choice("rounding", ("floor", "ceil")) == "ceil"
    assert Fields({}).choice("rounding", ("floor", "ceil"), default="floor") == "floor"
    with pytest.raises(Invalid, match=r"^rounding: 'up' is not one of floor, ceil$"):
        Fields({"rounding": "up"}).choice("rounding", ("floor", "ceil"), default="floor")


def test_a_list_has_its_bounds() -> None:
    assert Fields({}).texts("skus", 2) == ()
    assert Fields({"skus": ["Ａ", "B"]}).texts("skus", 2) == ("A", "B")
    with pytest.raises(Invalid, match=r"^skus: has 3 items, not 0 to 2$"):
        Fields({"skus": ["A", "B", "C"]}).texts("skus", 2)
    with pytest.raises(Invalid, match=r"^lines: has 0 items, not 1 to 200$"):
        Fields({"lines": []}).each("lines", 1, 200)
    with pytest.raises(Invalid, match=r"^skus: 'A' is not a list$"):
        Fields({"skus": "A"}).texts("skus", 2)
    with pytest.raises(Invalid, match=r"^skus\[1\]: 7 is not a string$"):
        Fields({"skus": ["A", 7]}).texts("skus", 2)


def test_a_misspelt_field_is_refused_where_people_write_by_hand() -> None:
    with pytest.raises(Invalid, match=r"^reward\.max_point: is none of the fields here: rate, max_points$"):
        Fields({"rate": "1", "max_point": 1}, "reward").only("rate", "max_points")


@pytest.mark.parametrize("message", [{}, {"v": None}, {"v": 1}])
def test_a_known_version_is_read(message: object) -> None:
    Fields(message).check_version(1)


def test_a_later_version_is_too_new_and_what_is_no_version_is_refused() -> None:
    with pytest.raises(TooNew):
        Fields({"v": 2}).check_version(1)
    for value in (0, -1, "1", 1.0, True):
        with pytest.raises(Invalid, match=r"^v: "):
            Fields({"v": value}).check_version(1)


@pytest.mark.parametrize(
    "body", ["", "{", "nul", '{"a": 1,}', "\ufeff{}", '"\ud800"', b"\xff\xfe", b'"\xff"', "[" * 100_000, "1e400", "NaN"]
)
def test_what_is_no_json_is_refused_and_not_a_crash(body: str | bytes) -> None:
    with pytest.raises(Invalid, match=r"^is not JSON"):
        decoded(body, below=1_000_000)


def test_a_body_must_be_under_its_bound() -> None:
    assert decoded('"' + "號" * 10 + '"', below=33) == "號" * 10
    with pytest.raises(Invalid, match="is 32 bytes long and must be under 32"):
        decoded('"' + "號" * 10 + '"', below=32)


@given(anything, st.sampled_from(["identifier", "text", "member", "amount", "currency", "instant", "nested"]))
def test_no_value_whatever_makes_a_reader_crash(value: object, reader: str) -> None:
    with suppress(Invalid):
        getattr(Fields({"field": value}), reader)("field")
