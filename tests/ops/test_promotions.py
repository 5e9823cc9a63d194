"""`rewards promotions`: a promotion in words."""

import pytest

from ops.promotions import limits
from rewards.promotion import Quota


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
