"""Cutting an export into parts, so that each can be compared by itself, in the memory of one process.

What belongs together has the same group, and a group is in one part whole. An item may belong to several: an entry of
the wallet to its account and to the order of its reward. Files are read one after another, line by line.

    topic     group                       holds
    order     <shop>#<order group>        order, rewards, history, and entries of both providers
    account   <shop>#<member>             entries, and how many of them are reclaims
    coupon    COUPON#<shop>#<code>        the coupon, and the entries that name it
    stock     <shop>                      what its stocks say
    count     the key of the count        the count, and the rewards that hold a place of it
    unreadable                            what is no item of ours: its image is what is wrong with it
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
from msgspec import Raw, Struct

from adapters.coupon_items import coupon_key
from adapters.items import UNREADABLE, reward_of
from adapters.quota import counts_of
from ops.audit.export import Record, records
from rewards.identifiers import join, split

KEYS = {"ledger": ("Order", "Item"), "wallet": ("Member", "Item"), "coupons": ("Item",), "quota": ("Counted",)}
ITEMS = {
    "ledger": {"ORDER": 1, "REWARD": 2, "HISTORY": 3},
    "wallet": {"ENTRY": 6, "RECLAIMS": 1},
    "coupons": {"STOCK": 3, "COUPON": 3, "ENTRY": 6},
    "quota": {"": 1},
}
"""What the names of items begin with, and of how many parts they are; a count has no name beside its key."""

GONE = Raw(b"null")

SHOWN = 200
"""So much of an item is shown where nobody knows what it is."""

Place = tuple[str, str]
"""A topic and a group in it."""


class Piece(Struct, array_like=True):
    """An item where it belongs. Of pieces of the same `name` the latest counts; `image` is null once it is gone."""

    topic: str
    group: str
    table: str
    name: str
    micros: int
    image: Raw


def part_of(group: str, parts: int) -> int:
    return crc32(group.encode()) % parts


def cut(table: str, file: Path, into: Path, parts: int) -> int:
    """Add the items of a data file to the parts that they belong to, and say how many they were."""
    items = 0
    with ExitStack() as closing:
        name = f"{table}-{file.parent.parent.name}-{file.name}"  # two exports may name their files alike
        written = [closing.enter_context((into / f"{part:04}" / name).open("wb")) for part in range(parts)]
        for record in records(file):
            items += 1
            for piece in _pieces_or_why_not(table, record):
                written[part_of(piece.group, parts)].write(msgspec.json.encode(piece) + b"\n")
    return items


def pieces(part: Path) -> Iterator[Piece]:
    """All that was put into a part, as it was last."""
    decoder, latest = msgspec.json.Decoder(Piece), dict[tuple[str, str, str, str], Piece]()
    for file in sorted(part.iterdir()):
        with file.open("rb") as lines:
            for piece in map(decoder.decode, lines):
                known = latest.setdefault((piece.topic, piece.group, piece.table, piece.name), piece)
                if known.micros < piece.micros:
                    latest[piece.topic, piece.group, piece.table, piece.name] = piece
    return (piece for piece in latest.values() if piece.image != GONE)


def _pieces_or_why_not(table: str, record: Record) -> list[Piece]:
    """An item that is none of ours hides no other: it goes on as what cannot be read, until it was mended."""
    try:
        name, found = _name(table, record), list(_pieces(table, record))
    except UNREADABLE as error:
        name = _name_at_least(table, record)
        why_not = _unreadable(table, name, record.micros, msgspec.json.encode(f"{type(error).__name__}: {error}"))
        return [why_not, *(Piece(*place, table, name, record.micros, GONE) for place in _places_before(table, record))]
    was_it_before = [_unreadable(table, name, record.micros, bytes(GONE))] if record.micros else []
    return found + was_it_before


def _pieces(table: str, record: Record) -> Iterator[Piece]:
    """Where the item is now, and where it was before: there nothing is left of it, whatever it may have been."""
    name, places = _name(table, record), _places_before(table, record)
    if record.image:
        places |= {*_places(table, _decoded(record.image))}
    for topic, group in places:
        yield Piece(topic, group, table, name, record.micros, record.image or GONE)


def _places_before(table: str, record: Record) -> set[Place]:
    with suppress(*UNREADABLE):
        return {*_places(table, _decoded(record.before))} if record.before else set()
    return set()


def _unreadable(table: str, name: str, micros: int, image: bytes) -> Piece:
    return Piece("unreadable", f"{table} {name[:SHOWN]}", table, name, micros, Raw(image))


def _name(table: str, record: Record) -> str:
    keys = record.keys or _decoded(record.image)
    return msgspec.json.encode([keys[key] for key in KEYS[table]]).decode()


def _name_at_least(table: str, record: Record) -> str:
    """Its keys as far as it has any, or all that there is of it."""
    try:
        return _name(table, record)
    except UNREADABLE:
        return bytes(record.image or msgspec.json.encode(record.keys)).decode(errors="replace")


def _decoded(image: Raw) -> dict[str, Any]:
    return msgspec.json.decode(image, type=dict[str, Any])


def _places(table: str, item: Mapping[str, Any]) -> Iterator[Place]:
    """Where an item belongs, by what it is. Raises ValueError if no step writes such."""
    name = item["Item"]["S"] if "Item" in item else ""
    kind, *parts = split(name)
    if ITEMS[table].get(kind) != 1 + len(parts):
        raise ValueError(f"{name} is no item of this table")
    if name.startswith("ENTRY#"):
        yield "order", join(*split(name)[1:3])
    match table:
        case "ledger":
            yield "order", item["Order"]["S"]
            if name.startswith("REWARD#") and "Place" in item:
                yield from (("count", key) for key in counts_of(reward_of(item)))
        case "wallet":
            yield "account", item["Member"]["S"]
        case "quota":
            yield "count", item["Counted"]["S"]
        case "coupons":
            yield from _of_coupons(name, item)


def _of_coupons(name: str, item: Mapping[str, Any]) -> Iterator[Place]:
    kind, shop_id, *_ = split(name)
    if kind == "STOCK":
        yield "stock", shop_id
    elif kind == "COUPON":
        yield "coupon", name
    for named in ("Codes", "Revoked", "Used"):
        for code in item.get(named, {"L": []})["L"]:
            yield "coupon", coupon_key(shop_id, code["S"])["Item"]["S"]
