"""`docs/providers.md` shows what is really sent, and answers that are really understood."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from adapters.http_operations import LONGEST_REASON, NOT_NOW, TIMEOUT
from adapters.http_provider import HttpProvider
from rewards.provider import Done, Issued, Member, OutOfStock, Refused, Revoked
from tests.fakes.points import grant_one
from tests.fakes.provider_server import BROKEN, Fault, ProviderServer, Request, operations_at, provider_server

PAGE = (Path(__file__).parent.parent / "docs" / "providers.md").read_text()
REQUESTS = re.findall(r"```http\n(.+?)```", PAGE, re.DOTALL)
RESULTS = re.findall(r"```json\n(.+?)```", PAGE, re.DOTALL)

MEMBER = Member("1", "M1")
CODES = ("7Q2M0X4KZB1C", "V93HD8TNW5RA")


POINTS, COUPONS = "1#TG20193021#28343", "1#TG20193021#30001"


class Shown(NamedTuple):
    """A request as the page shows it."""

    line: str
    key: str | None
    body: object


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


def test_the_page_shows_what_is_sent_and_results_that_are_understood(server: ProviderServer) -> None:
    granted, collected, issued, out_of_stock, revoked, refused = (Fault(200, text.encode()) for text in RESULTS)
    server.faults += [granted, collected, issued, revoked, BROKEN, refused, out_of_stock]
    provider = HttpProvider(operations_at(server))

    assert grant_one(provider, f"{POINTS}#grant#0", MEMBER, 50) == Done(50)
    answer = provider.reclaim(f"{POINTS}#reclaim#0", f"{POINTS}#grant#0", MEMBER, 50, allow_debt=False)
    assert answer == Done(30)
    assert provider.issue(f"{COUPONS}#grant#0", "TEA", MEMBER, 2) == Issued(CODES)
    assert provider.revoke(f"{COUPONS}#reclaim#0", MEMBER, CODES) == Revoked(CODES[:1], CODES[1:])
    assert grant_one(provider, f"{POINTS}#grant#0", MEMBER, 50) == Refused("member M1 is closed")
    assert provider.issue(f"{COUPONS}#grant#0", "TEA", MEMBER, 2) == OutOfStock()

    *posts, _, asked_by_key, _ = map(sent, server.requests)
    assert [*posts, asked_by_key] == [shown(text) for text in REQUESTS]


def test_the_page_names_the_limits() -> None:
    assert ", ".join(map(str, NOT_NOW)) in PAGE
    assert f"no reply in {TIMEOUT.read_timeout} s" in PAGE
    assert f"first {LONGEST_REASON} characters" in PAGE


def sent(request: Request) -> Shown:
    path = request.path.removeprefix("/rewards")
    return Shown(f"{request.method} {path}", request.headers["Idempotency-Key"], request.body)


def shown(text: str) -> Shown:
    head, _, body = text.partition("\n\n")
    line, *headers = head.splitlines()
    named = dict(header.split(": ", 1) for header in headers)
    return Shown(line, named.get("Idempotency-Key"), json.loads(body or "{}"))
