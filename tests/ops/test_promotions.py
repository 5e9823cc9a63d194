"""`rewards promotions`: a promotion in words."""

from zoneinfo import ZoneInfo

import pytest

from ops.promotions import gives, limits, lines
from ops.terminal import out
from rewards.promotion import Benefit, ECoupon, LoyaltyPoints, Quota
from tests.builders import a_promotion


@pytest.mark.parametrize(
    ("quota", "words"),
    [
        (Quota(total=1000), "412 of 1,000 places taken, 588 left"),
        (Quota(total=1000, per_member=2), "412 of 1,000 places taken, 588 left; 2 for each member"),
        (
            Quota(total=1000, occupy=True, unpaid_minutes=60),
            "412 of 1,000 places taken, 588 left; held from the order on, for 60 minutes if it is not paid",
        ),
    ],
)
def test_a_quota_says_how_many_places_are_left_and_how_they_are_given(quota: Quota, words: str) -> None:
    assert limits(quota, taken=412, left=588) == words


def test_a_quota_for_each_member_alone_counts_no_total() -> None:
    assert limits(Quota(per_member=1)) == "1 for each member"


def test_what_looks_like_markup_is_listed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    promotion = a_promotion(ECoupon(template="[red]TEA[/red]", quantity=1), promotion_id="[P1]", name="[/] :tea: \x1b")
    for line in lines(promotion, ZoneInfo("Asia/Taipei")):
        out.print(line)
    told = capsys.readouterr().out
    for text in ("[P1]", "[/] :tea: \ufffd", "[red]TEA[/red]: 1 coupon;"):
        assert text in told


@pytest.mark.parametrize(
    ("reward", "words"),
    [
        (LoyaltyPoints(points=1), "1 point"),
        (LoyaltyPoints(points=1_200), "1,200 points"),
        (ECoupon("TEA", quantity=1), "TEA: 1 coupon"),
        (ECoupon("TEA", quantity=2), "TEA: 2 coupons"),
    ],
)
def test_one_is_one_and_more_are_many(reward: Benefit, words: str) -> None:
    assert gives(a_promotion(reward)) == words
