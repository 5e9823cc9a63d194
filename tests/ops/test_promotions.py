"""`rewards promotions`: a promotion in words."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ops import promotions
from ops.promotions import limits
from rewards.promotion import ECoupon, Promotion, Quota
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


class Stored:
    def of_shop(self, shop: str) -> list[Promotion]:
        return [a_promotion(ECoupon(template="[red]TEA[/red]", quantity=1), promotion_id="[P1]", name="[/] :tea: \x1b")]


class AStack(dict[str, str]):
    zone = ZoneInfo("Asia/Taipei")
    dynamodb = None


def test_what_looks_like_markup_is_listed_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stack: Any = AStack(QuotaTableName="quota")
    monkeypatch.setattr(promotions, "connect", lambda **_: stack)
    monkeypatch.setattr(promotions, "_stored", lambda _: Stored())
    promotions.list_("[/]1")
    told = capsys.readouterr().out
    for text in ("Shop [/]1 has", "[P1]", "[/] :tea: \ufffd", "[red]TEA[/red]: 1 coupon"):
        assert text in told
