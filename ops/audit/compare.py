"""One part of an export: every group in it, held to the rules.

What no part can tell by itself - stocks and quotas, whose items lie in several - it adds up for the end.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from adapters.books import account_of, coupon_entry_of, issued_coupon_of, points_entry_of
from adapters.coupon_items import stock_name, stock_of
from adapters.items import UNREADABLE, history_of, order_of, reward_of
from adapters.quota import counts_of
from adapters.wallet_items import RECLAIMS
from ops.audit.partition import Piece, pieces
from rewards.auditing.books import Places, Template, audit_account, audit_coupon, audit_left
from rewards.auditing.finding import Finding
from rewards.auditing.orders import AsOf, OrderBook, audit_effects, audit_order
from rewards.identifiers import split
from rewards.order import Order, OrderId
from rewards.timetable import Timetable

Item = dict[str, Any]
Promotion = tuple[str, str]
"""A shop and its promotion."""


class Compared(Struct):
    """What one part came to; `moved` are rewards that changed about the time of the export, by promotion."""

    orders: int = 0
    rewards: int = 0
    findings: list[Finding] = field(default_factory=list)
    issued: dict[Template, int] = field(default_factory=dict)
    coupons: Counter[Template] = field(default_factory=Counter)
    places: dict[str, Places] = field(default_factory=dict)
    moved: Counter[Promotion] = field(default_factory=Counter)


def compare(part: Path, timetable: Timetable, as_of: AsOf, *, with_wallet: bool) -> Compared:
    """Every group of the part, one after another. Without the wallet's books nobody can say what a provider did."""
    groups: dict[tuple[str, str], list[Piece]] = defaultdict(list)
    for piece in pieces(part):
        groups[piece.topic, piece.group].append(piece)
    compared = Compared()
    for (topic, group), together in groups.items():
        try:
            if topic == "order":
                book = _book(group, _items(together))
                _order(book, compared, timetable, as_of, with_wallet=with_wallet)
            else:
                _of_others(topic, group, together, compared)
        except UNREADABLE as error:
            about = group.replace("#", "/")
            compared.findings.append(Finding("unreadable", about, f"{topic}: {type(error).__name__}: {error}"))
    return compared


def _items(pieces: list[Piece]) -> list[tuple[str, Item]]:
    return [(piece.table, msgspec.json.decode(piece.image, type=Item)) for piece in pieces]


def _of_others(topic: str, group: str, pieces: list[Piece], compared: Compared) -> None:
    match topic:
        case "account":
            compared.findings += _account(_items(pieces))
        case "coupon":
            _coupon(group, _items(pieces), compared)
        case "stock":
            for _, item in _items(pieces):
                stock = stock_of(item)
                compared.issued[stock_name(item)] = stock.issued
                compared.findings += audit_left(stock_name(item), stock.left)
        case "count":
            _count(group, _items(pieces), compared)
        case "unreadable":
            errors = (msgspec.json.decode(piece.image, type=str) for piece in pieces)
            compared.findings += [Finding("unreadable", group, error) for error in errors]


def _book(group: str, items: list[tuple[str, Item]]) -> OrderBook:
    book = OrderBook(OrderId(*split(group)), _the_order(items), [], [], [], [])
    for table, item in items:
        name = item["Item"]["S"]
        if table == "wallet":
            book.points.append(points_entry_of(item))
        elif table == "coupons":
            book.coupons.append(coupon_entry_of(item))
        elif name.startswith("REWARD#"):
            book.rows.append(reward_of(item))
        elif name.startswith("HISTORY#"):
            book.history.append(history_of(item))
    return book


def _order(book: OrderBook, compared: Compared, timetable: Timetable, as_of: AsOf, *, with_wallet: bool) -> None:
    compared.orders += 1
    compared.rewards += len(book.rows)
    compared.findings += audit_order(book, timetable, as_of)
    if with_wallet:
        compared.findings += audit_effects(book, as_of)
    for row in book.rows:
        if not as_of.is_still(row):
            compared.moved[row.id.shop_id, row.id.promotion_id] += 1


def _account(items: list[tuple[str, Item]]) -> Iterator[Finding]:
    counted = sum(int(item["Count"]["N"]) for _, item in items if item["Item"]["S"] == RECLAIMS)
    entries = [points_entry_of(item) for _, item in items if item["Item"]["S"] != RECLAIMS]
    return audit_account(account_of(items[0][1]), counted, entries)


def _coupon(group: str, items: list[tuple[str, Item]], compared: Compared) -> None:
    coupons = [issued_coupon_of(item) for _, item in items if item["Item"]["S"].startswith("COUPON#")]
    entries = [coupon_entry_of(item) for _, item in items if item["Item"]["S"].startswith("ENTRY#")]
    _, shop_id, code = split(group)
    compared.findings += audit_coupon(coupons[0] if coupons else None, entries, (shop_id, code))
    for coupon in coupons:
        compared.coupons[coupon.member.shop_id, coupon.template] += 1


def _count(group: str, items: list[tuple[str, Item]], compared: Compared) -> None:
    """Only what differs is kept for the end, where it shows how much moved meanwhile."""
    _shop_id, _promotion_id, *_ = split(group)  # ValueError where it counts nothing of ours
    taken = sum(int(item["Used"]["N"]) for table, item in items if table == "quota")
    held = sum(group in counts_of(reward_of(item)) for table, item in items if table == "ledger")
    if taken != held or taken < 0:
        compared.places[group] = Places(taken, held, moved=0)


def _the_order(items: list[tuple[str, Item]]) -> Order | None:
    found = (order_of(item) for table, item in items if table == "ledger" and item["Item"]["S"] == "ORDER")
    return next(found, None)
