"""The demo's closing checks: each notices what it is there for."""

from typing import Any

import pytest
from msgspec.structs import replace

from adapters.coupon_items import Coupon, Stock
from adapters.wallet_items import Account, Entry
from ops.demo.books import Books
from ops.demo.checks import checks
from rewards.promotion import Quota
from rewards.provider import Member
from rewards.reward import Held, Place, Reward
from tests.builders import a_paid_order, a_promotion, a_return, a_reward, with_returns

M1 = Member("1", "M1")
ORDER = a_paid_order(decisions={"28343": "matched"})
LIMITED = a_promotion(quota=Quota(total=1))
PLACES = {"1#28343#SHARD#3": 1, "1#28343#MEMBER#M1": 1}


def a_granted_reward(**fields: Any) -> Reward:
    return a_reward("Reward", **{"points": 50, "is_reward": True, "due": None} | fields)


def a_coupon_reward(**fields: Any) -> Reward:
    return a_granted_reward(**{"reward_type": "ECoupon", "points": 2, "codes": ("A", "B")} | fields)


def an_account(*points: int, member: Member = M1) -> Account:
    return Account(member, [Entry(str(key), each, is_reclaim=each < 0) for key, each in enumerate(points)])


def of_points(reward: Reward, *accounts: Account, **fields: Any) -> Books:
    return Books(**{"orders": [ORDER], "rewards": [reward], "accounts": list(accounts)} | fields)


def of_coupons(reward: Reward, a: str, b: str, *, left: int = 0, issued: int = 2) -> Books:
    coupons = [Coupon(M1, code, "TEA", state) for code, state in (("A", a), ("B", b))]  # type: ignore[arg-type]
    return Books(orders=[ORDER], rewards=[reward], coupons=coupons, stocks=[Stock(left, issued)])


def failures(books: Books) -> list[str]:
    return [check.words for check in checks(books, [LIMITED]) if not check.holds]


def test_a_day_on_which_all_was_granted_and_partly_taken_back_adds_up() -> None:
    reward = a_granted_reward(is_recycle=True, recycle_points=20)
    assert failures(of_points(reward, an_account(50, -20))) == []


@pytest.mark.parametrize(
    ("books", "words"),
    [
        (of_points(a_granted_reward(), an_account(60)), "granted 50 − recycled 0 = wallets 60"),
        (
            of_points(a_granted_reward(member_id="M2"), an_account(50)),
            "each of 1 members holds what the rewards say",
        ),
        (of_points(a_granted_reward(), an_account(50, 50)), "each of 1 members holds what the rewards say"),
        (
            of_points(a_granted_reward(held=Held("refused", "no")), an_account(50)),
            "1 held for a person, 0 dead letters",
        ),
        (of_points(a_granted_reward(), an_account(50), letters=2), "0 held for a person, 2 dead letters"),
    ],
)
def test_what_does_not_add_up_is_named(books: Books, words: str) -> None:
    assert words in failures(books)


def test_what_came_back_counts_for_the_member_whom_the_return_names() -> None:
    merged = with_returns(ORDER, a_return(member_id="M2"))
    reward = a_granted_reward(is_recycle=True, recycle_points=50)
    now = an_account(60, -50, member=Member("1", "M2"))
    other = replace(a_granted_reward(points=60, member_id="M2"), id=reward.id._replace(promotion_id="other"))
    both = replace(merged, decisions={"28343": "matched", "other": "matched"})
    books = of_points(reward, an_account(50), now, orders=[both], rewards=[reward, other])
    assert failures(books) == []


def test_a_match_without_a_reward_is_named() -> None:
    assert failures(Books(orders=[ORDER])) == [
        "1 matches = 0 granted + 0 cancelled + 0 without a place + 0 waiting",
    ]


def test_only_a_reward_whose_parcel_has_not_left_may_wait() -> None:
    assert failures(of_points(a_reward(booking_time=None, due=None))) == []
    assert "0 rewards wait for their parcels to leave, 1 for anything else" in failures(of_points(a_reward()))


def test_coupons_with_members_are_those_on_the_rewards_and_used_ones_stay_theirs() -> None:
    assert failures(of_coupons(a_coupon_reward(), "issued", "used")) == []
    one_back = a_coupon_reward(is_recycle=True, recycle_points=1, revoked_codes=("B",))
    assert failures(of_coupons(one_back, "used", "revoked")) == []


@pytest.mark.parametrize(
    "books",
    [
        of_coupons(a_coupon_reward(), "issued", "revoked"),
        of_coupons(a_coupon_reward(codes=("A", "C")), "issued", "issued"),
        of_coupons(a_coupon_reward(member_id="M2"), "issued", "issued"),
        of_coupons(a_coupon_reward(), "issued", "issued", issued=3),
        of_coupons(a_coupon_reward(), "issued", "issued", left=-1),
    ],
)
def test_a_coupon_that_ledger_and_pool_know_differently_is_noticed(books: Books) -> None:
    (words,) = failures(books)
    assert words.startswith("coupons:")


def test_every_place_taken_is_held_by_a_reward() -> None:
    holding = a_granted_reward(place=Place(shard=3, of_member=True))
    held = of_points(holding, an_account(50), places=PLACES)
    assert failures(held) == []
    for places in ({}, PLACES | {"1#28343#SHARD#3": 2}, {"1#28343#SHARD#3": 1}):
        (words,) = failures(of_points(holding, an_account(50), places=places))
        assert words.startswith("places:")


def test_no_more_places_are_held_than_there_are() -> None:
    first, second = (a_granted_reward(order_group=f"TG{shard}", place=Place(shard=shard)) for shard in (1, 2))
    orders = [replace(ORDER, id=reward.id.order) for reward in (first, second)]
    places = {"1#28343#SHARD#1": 1, "1#28343#SHARD#2": 1}
    books = of_points(first, an_account(100), orders=orders, rewards=[first, second], places=places)
    assert failures(books) == ["places: 2 taken = 2 held by rewards, of 1 there are"]
