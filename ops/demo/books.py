"""The books: what the tables hold once the day is over. Nothing here knows what was sent."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from adapters.coupon_items import Coupon, Stock
from adapters.items import Item, order_of, reward_of
from adapters.quota import DynamoQuota
from adapters.wallet import DynamoWallet
from adapters.wallet_items import Account
from ops.coupons import pool_of
from ops.stack import Stack
from rewards.order import Order
from rewards.reward import Reward


class Books(Struct):
    """All that the ledger and its quotas, the wallet, the coupons and the dead letters come to."""

    orders: list[Order] = []
    rewards: list[Reward] = []
    places: dict[str, int] = {}
    accounts: list[Account] = []
    coupons: list[Coupon] = []
    stocks: list[Stock] = []
    letters: int = 0


def read_books(stack: Stack) -> Books:
    pool = pool_of(stack)
    books = Books(
        places=DynamoQuota(stack.dynamodb, stack["QuotaTableName"]).counts(),
        accounts=DynamoWallet(stack.dynamodb, stack["WalletTableName"]).accounts(),
        coupons=list(pool.coupons()),
        stocks=[stock for *_, stock in pool.stocks()],
        letters=sum(1 for _ in _items(stack, "LettersTableName")),
    )
    for item in _items(stack, "LedgerTableName"):
        kind = item["Item"]["S"].split("#")[0]
        if kind == "ORDER":
            books.orders.append(order_of(item))
        if kind == "REWARD":
            books.rewards.append(reward_of(item))
    return books


def _items(stack: Stack, output: str) -> Iterator[Item]:
    pages: Any = stack.dynamodb.get_paginator("scan").paginate(TableName=stack[output], ConsistentRead=True)
    return (item for page in pages for item in page["Items"])
