from typing import Any

import pytest

from adapters.wallet import Account, Entry
from ops.demo.stock import Stock, checks
from rewards.provider import Member
from rewards.reward import Reward
from tests.builders import a_paid_order, a_reward


def a_granted_reward(**fields: Any) -> Reward:
    return a_reward("Reward", **{"points": 50, "is_reward": True, "due": None} | fields)


def an_account(balance: int, *points: int) -> Account:
    return Account(Member("1", "M1"), balance, [Entry(str(key), each, each) for key, each in enumerate(points)])


def a_stock(reward: Reward, account: Account, *, letters: int = 0) -> Stock:
    return Stock([a_paid_order(decisions={"28343": "matched"})], [reward], [account], letters)


def failures(stock: Stock) -> list[str]:
    return [check.words for check in checks(stock) if not check.holds]


def test_a_day_on_which_all_was_granted_and_partly_taken_back_adds_up() -> None:
    reward = a_granted_reward(is_recycle=True, recycle_points=20)
    assert failures(a_stock(reward, an_account(30, 50, -20))) == []


@pytest.mark.parametrize(
    ("stock", "words"),
    [
        (a_stock(a_granted_reward(), an_account(60, 60)), "granted 50 − recycled 0 = wallets 60"),
        (a_stock(a_granted_reward(member_id="M2"), an_account(50, 50)), "each of 1 members holds what the rewards say"),
        (a_stock(a_granted_reward(), an_account(50, 50, 50)), "every balance is the sum of its wallet's entries"),
        (a_stock(a_granted_reward(held="look"), an_account(50, 50)), "1 held for a person, 0 dead letters"),
        (a_stock(a_granted_reward(), an_account(50, 50), letters=2), "0 held for a person, 2 dead letters"),
    ],
)
def test_what_does_not_add_up_is_named(stock: Stock, words: str) -> None:
    assert words in failures(stock)


def test_a_reward_that_still_waits_is_named() -> None:
    assert "1 rewards are left waiting" in failures(a_stock(a_reward(), an_account(0)))


def test_a_match_without_a_reward_is_named() -> None:
    stock = Stock([a_paid_order(decisions={"28343": "matched"})], [], [], 0)
    assert failures(stock) == ["1 matches = 0 rewards = 0 granted + 0 cancelled"]
