"""Taking stock: what the tables hold once the day is over. Nothing here knows what was sent."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from adapters.items import Item, order_of, reward_of
from adapters.wallet import Account, DynamoWallet
from ops.stack import Stack
from rewards.deciding import MATCHED
from rewards.order import Order
from rewards.provider import Member
from rewards.reward import Reward
from rewards.status import Status


class Sum(Struct):
    """Some orders and their rewards, added up."""

    orders: int = 0
    booked: int = 0
    granted: int = 0
    granted_points: int = 0
    cancelled: int = 0
    recycled: int = 0
    recycled_points: int = 0
    waiting: int = 0
    held: int = 0

    @property
    def kept_points(self) -> int:
        return self.granted_points - self.recycled_points

    def add(self, reward: Reward) -> None:
        self.booked += 1
        self.granted += reward.is_reward
        self.granted_points += reward.points if reward.is_reward else 0
        self.cancelled += reward.status is Status.CANCEL
        self.recycled += reward.is_recycle
        self.recycled_points += reward.recycle_points
        self.waiting += reward.due is not None or reward.lock is not None
        self.held += reward.held is not None


class Stock(Struct):
    """All orders, all rewards, all wallets, and how many dead letters there are."""

    orders: list[Order]
    rewards: list[Reward]
    accounts: list[Account]
    letters: int

    @property
    def in_wallets(self) -> int:
        return sum(account.balance for account in self.accounts)


class Check(Struct, frozen=True):
    """Something that must hold, in the numbers it was judged by."""

    holds: bool
    words: str


def take_stock(stack: Stack) -> Stock:
    accounts = DynamoWallet(stack.dynamodb, stack["WalletTableName"]).accounts()
    stock = Stock([], [], accounts, letters=sum(1 for _ in _items(stack, "LettersTableName")))
    for item in _items(stack, "LedgerTableName"):
        kind = item["Item"]["S"].split("#")[0]
        if kind == "ORDER":
            stock.orders.append(order_of(item))
        if kind == "REWARD":
            stock.rewards.append(reward_of(item))
    return stock


def added_up(orders: Iterable[Order], rewards: Iterable[Reward]) -> Sum:
    total = Sum(orders=len(list(orders)))
    for reward in rewards:
        total.add(reward)
    return total


def checks(stock: Stock) -> list[Check]:
    """What must hold whatever was sent, twice, late or in any order."""
    total = added_up(stock.orders, stock.rewards)
    owed: Counter[Member] = Counter()
    for reward in stock.rewards:
        owed[Member(reward.id.shop_id, reward.member_id)] += reward.points * reward.is_reward - reward.recycle_points
    balances = Counter({account.member: account.balance for account in stock.accounts})
    matches = sum(reason == MATCHED for order in stock.orders for reason in order.decisions.values())
    settled = f"{total.granted:,} granted + {total.cancelled:,} cancelled"
    return [
        Check(
            total.kept_points == stock.in_wallets,
            f"granted {total.granted_points:,} − recycled {total.recycled_points:,} = wallets {stock.in_wallets:,}",
        ),
        Check(owed == balances, f"each of {len(balances):,} members holds what the rewards say"),
        Check(
            all(account.balance == sum(entry.points for entry in account.entries) for account in stock.accounts),
            "every balance is the sum of its wallet's entries",
        ),
        Check(
            matches == total.booked == total.granted + total.cancelled,
            f"{matches:,} matches = {total.booked:,} rewards = {settled}",
        ),
        Check(total.waiting == 0, f"{total.waiting:,} rewards are left waiting"),
        Check(
            total.held == 0 and stock.letters == 0, f"{total.held:,} held for a person, {stock.letters:,} dead letters"
        ),
    ]


def _items(stack: Stack, output: str) -> Iterator[Item]:
    pages: Any = stack.dynamodb.get_paginator("scan").paginate(TableName=stack[output], ConsistentRead=True)
    return (item for page in pages for item in page["Items"])
