import json
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.errors import Invalid, TooNew
from rewards.promotion import ByDateTime, Days, Eligibility, LoyaltyPoints, Promotion
from rewards.promotions import parse_promotions
from tests.builders import a_written_promotion


def parsed(**changes: Any) -> Promotion:
    (promotion,) = parse_promotions(json.dumps(a_written_promotion(**changes)))
    return promotion


def points(**reward: Any) -> dict[str, Any]:
    return {"type": "LoyaltyPoints"} | reward


def test_a_promotion_is_read_whole() -> None:
    assert parsed() == Promotion(
        shop_id="1",
        promotion_id="28343",
        name="Spend 1,000 get 5%",
        currency="TWD",
        starts_at=datetime(2026, 10, 31, 16, tzinfo=UTC),
        ends_at=datetime(2026, 11, 30, 16, tzinfo=UTC),
        eligible=Eligibility(sources=("ECom",), min_amount=Decimal(1000)),
        reward=LoyaltyPoints(rate=Decimal("0.05"), max_points=500),
        timing=Days(7),
    )


def test_what_may_be_left_out_asks_for_nothing() -> None:
    promotion = parsed(eligible=None, on_shortfall=None, timing={"type": "Days", "days": 0})
    assert promotion.eligible == Eligibility()
    assert promotion.on_shortfall == "clamp"
    assert promotion.timing == Days(0, "ordered")


def test_a_currency_of_great_worth_may_give_a_hundred_points_for_each_unit() -> None:
    assert parsed(reward=points(rate="100")).reward.rate == 100


def test_a_promotion_reads_back_as_it_is_stored() -> None:
    promotion = parsed(reward=points(tiers=[{"from": "0", "rate": "0.01"}, {"from": "1000", "points": 50}]))
    assert msgspec.json.decode(msgspec.json.encode(promotion), type=Promotion) == promotion


def test_a_document_may_hold_several() -> None:
    both = parse_promotions(json.dumps([a_written_promotion(), a_written_promotion(promotion_id="28344")]))
    assert [promotion.promotion_id for promotion in both] == ["28343", "28344"]
    assert parse_promotions(b"[]") == []


def test_in_a_list_a_refusal_says_which() -> None:
    with pytest.raises(Invalid, match=r"^\[1\]\.reward\.rate: '5%' is not a decimal string"):
        parse_promotions(
            json.dumps([a_written_promotion(), a_written_promotion(promotion_id="28344", reward=points(rate="5%"))])
        )


def test_a_promotion_is_in_a_document_once() -> None:
    with pytest.raises(Invalid, match=r"^\[1\]\.promotion_id: '28343' is there twice$"):
        parse_promotions(json.dumps([a_written_promotion(), a_written_promotion(promotion_id="２8343")]))


def test_a_dated_reward_is_read() -> None:
    timing = {"type": "ByDateTime", "at": "2026-12-24T18:30:00+08:00"}
    assert parsed(timing=timing).timing == ByDateTime(datetime(2026, 12, 24, 10, 30, tzinfo=UTC))


def test_a_promotion_of_a_later_version_is_too_new() -> None:
    assert parsed(v=1) == parsed()
    with pytest.raises(TooNew):
        parsed(v=2, surprise="field")


@pytest.mark.parametrize("body", ["", "{", "7", '"28343"', "null", "[7]", "[[]]"])
def test_what_is_no_promotion_is_refused(body: str) -> None:
    with pytest.raises(Invalid):
        parse_promotions(body)


@given(st.data())
def test_no_value_in_any_place_makes_reading_crash(data: st.DataObject) -> None:
    promotion = a_written_promotion()
    place = data.draw(st.sampled_from(["", "eligible", "reward", "timing"]))
    fields = promotion[place] if place else promotion
    name = data.draw(st.sampled_from([*fields, "tiers", "points", "v", "quota"]))
    fields[name] = data.draw(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
        | st.lists(st.dictionaries(st.sampled_from(["from", "points", "rate"]), st.integers() | st.text()))
    )  # fmt: skip
    with suppress(Invalid, TooNew):
        parse_promotions(json.dumps(promotion))
