"""What stands in for AWS while a dispatch is measured: canned pages of a due index; queues and buckets keep nothing.

    python -m bench.stub PORT      0 for any that is free; it says which it has taken

It runs in a process of its own, so that only the client's work is measured. A table named `due-1000000` has so many
rows in one partition. Every page is 1 MiB as DynamoDB counts it, and they differ only in the numbers of their members.
"""

import asyncio
import random
import re
import sys
import zlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import msgspec

from rewards.due import due_keys
from rewards.reward import RewardId

PAGE_BYTES = 1024 * 1024
HOUR = timedelta(hours=1)
DUE_AT = datetime(2026, 11, 30, 16, tzinfo=UTC)
_PAGE = "@@@@"  # where a page's number goes

Item = dict[str, dict[str, str]]


def group_sizes(chance: random.Random) -> int:
    """Most members have one reward of a promotion that falls due in an hour: 1.2 in the mean."""
    return chance.choices((1, 2, 3), (84, 13, 3))[0]


@cache
def template() -> tuple[Item, ...]:
    """The rows of a page, in the order of the index."""
    chance = random.Random(1)  # noqa: S311 - always the same rows
    rows: list[Item] = []
    size = member = 0
    while size < PAGE_BYTES:
        member += 1
        promotion, is_coupon = f"{28000 + chance.randrange(400)}", member % 5 == 0
        times = sorted(DUE_AT.replace(day=chance.randrange(1, 29)) for _ in range(group_sizes(chance)))
        for ordered_at in times:
            id = RewardId("2000", f"TG2611{_PAGE}{len(rows):07}", promotion)
            row = _row(id, f"1{_PAGE}{member:05}", ordered_at, "ECoupon" if is_coupon else "LoyaltyPoints")
            rows.append(row)
            size += sum(len(name) + len(value["S"]) for name, value in row.items())
    return tuple(rows)


def _row(id: RewardId, member_id: str, ordered_at: datetime, reward_type: str) -> Item:
    keys = due_keys("reward", DUE_AT, DUE_AT, id, member_id, ordered_at, shards=1, period=HOUR)
    return {
        "BookingDateUTC": {"S": keys.partition},
        "BookingTimeUTC": {"S": keys.sort},
        "Order": {"S": f"{id.shop_id}#{id.order_group}"},
        "Item": {"S": f"REWARD#{id.promotion_id}"},
        "RewardType": {"S": reward_type},
        "Source": {"S": "ECom"},
    }


@cache
def canned(rows: int, *, is_last: bool) -> bytes:
    items = template()[:rows]
    page: dict[str, Any] = {"Count": len(items), "Items": items, "ScannedCount": len(items)}
    if not is_last:
        page["LastEvaluatedKey"] = {name: items[-1][name] for name in [*items[-1]][:4]}
    return msgspec.json.encode(page)


def page(rows: int, number: int) -> bytes:
    """Page `number`, from 0, of an index that has so many rows."""
    left = rows - number * len(template())
    body = canned(min(left, len(template())), is_last=left <= len(template()))
    return body.replace(_PAGE.encode(), b"%04d" % number)


class Stub:
    """Counts the calls by their name until it is asked for them."""

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                if "expect: 100-continue" in head:
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                length = re.search(r"content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1])) if length else b""
                writer.write(_response(self._answer(head, body)))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionResetError):
            writer.close()

    def _answer(self, head: str, body: bytes) -> bytes:
        target = re.search(r"x-amz-target: \w+\.(\w+)", head)
        call = target[1] if target else head.split(" ", 1)[0]
        if call == "get":
            told, self._calls = self._calls, Counter()
            return msgspec.json.encode(told)
        self._calls[call] += 1
        match call:
            case "query":
                return _page_asked_for(body)
            case "sendmessagebatch":
                return _taken(body.count(b'"Id"'))
            case "sendmessage":
                return msgspec.json.encode({"MessageId": "0" * 36, "MD5OfMessageBody": "0" * 32})
        return b""


def _page_asked_for(body: bytes) -> bytes:
    rows = re.search(rb'"due-(\d+)"', body)
    after = re.search(rb'"ExclusiveStartKey".*?#1(\d{4})\d{5}#', body)
    assert rows  # noqa: S101 - whoever asks is the benchmark
    return page(int(rows[1]), int(after[1]) + 1 if after else 0)


@cache
def _taken(messages: int) -> bytes:
    taken = [{"Id": f"{number}", "MessageId": "0" * 36, "MD5OfMessageBody": "0" * 32} for number in range(messages)]
    return msgspec.json.encode({"Successful": taken})


def _response(body: bytes) -> bytes:
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nx-amzn-RequestId: " + "0" * 52 + "\r\n"
        f"x-amz-crc32: {zlib.crc32(body)}\r\nETag: \"0\"\r\nContent-Length: {len(body)}\r\n\r\n"
    )  # fmt: skip
    return head.encode() + body


async def main(port: int) -> None:
    template()
    server = await asyncio.start_server(Stub().serve, "127.0.0.1", port, limit=2 * PAGE_BYTES)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
