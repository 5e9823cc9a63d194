"""A provider over HTTP that may have done what was asked: slow, broken off, or saying nonsense."""

from threading import Event

import pytest
from urllib3 import Timeout

from adapters.http_operations import LONGEST_BODY, HttpOperations
from adapters.http_provider import HttpProvider
from adapters.secret import Secret
from rewards.provider import Done, Issued, Member, NotNow, OutOfStock, Refused, Revoked, Unknown
from tests.builders import NOW
from tests.fakes.points import grant_one
from tests.fakes.provider_server import BROKEN, DROPPED, Fault, ProviderServer

MEMBER = Member("1", "M1")


def a_grant(provider: HttpProvider, key: str = "k") -> Done | Refused | NotNow | Unknown:
    return grant_one(provider, key, MEMBER, 50)


def test_work_whose_reply_was_lost_is_found_by_its_key(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(DROPPED)
    assert a_grant(provider) == Done(50)
    assert server.methods() == ["POST", "GET"]
    assert server.points.balance(MEMBER) == 50


def test_coupons_whose_reply_was_lost_are_found_by_their_key(server: ProviderServer, provider: HttpProvider) -> None:
    server.coupons.add_stock("1", "TEA", 2)
    server.faults.append(DROPPED)
    assert provider.issue("k", "TEA", MEMBER, 2) == Issued(("C1", "C2"))
    server.faults.append(DROPPED)
    assert provider.revoke("r", MEMBER, ("C1", "C2")) == Revoked(("C1", "C2"), ())
    server.faults.append(DROPPED)
    assert provider.issue("k2", "TEA", MEMBER, 1) == OutOfStock()


def test_a_refusal_whose_reply_was_lost_is_found_by_its_key(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(DROPPED)
    assert provider.revoke("r", MEMBER, ("C1",)) == Refused("no coupon C1")


@pytest.mark.parametrize("works", [True, False])
def test_a_slow_provider_is_asked_by_key_and_then_with_the_same_key_again(server: ProviderServer, works: bool) -> None:
    impatient = Timeout(connect=2, read=0.05)
    operations = HttpOperations(server.url, Secret(lambda: server.token), now=lambda: NOW, timeout=impatient)
    server.faults.append(Fault(after=(test_is_over := Event()), works=works))
    try:
        answer = a_grant(HttpProvider(operations))
        assert answer == Done(50) if works else isinstance(answer, Unknown)
        assert server.methods() == ["POST", "GET"]
        assert a_grant(HttpProvider(operations)) == Done(50)
        assert server.points.balance(MEMBER) == 50
    finally:
        test_is_over.set()


@pytest.mark.parametrize("status", [500, 502, 503, 504, 202, 204, 302, 308])
def test_a_status_that_says_nothing_sure_is_unknown_when_the_key_is_not_known(
    server: ProviderServer, provider: HttpProvider, status: int
) -> None:
    server.faults.append(Fault(status, headers={"Location": "/elsewhere"}))
    answer = a_grant(provider)
    assert isinstance(answer, Unknown)
    assert str(status) in answer.problem
    assert server.methods() == ["POST", "GET"]


def test_an_error_after_the_work_was_done_is_no_error(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(Fault(500, works=True))
    assert a_grant(provider) == Done(50)


@pytest.mark.parametrize("second", [BROKEN, Fault(500), Fault(401), Fault(429), Fault(404), Fault(200, b"<html>")])
def test_while_nobody_can_tell_it_stays_unknown(server: ProviderServer, provider: HttpProvider, second: Fault) -> None:
    server.faults += [DROPPED, second]
    assert isinstance(a_grant(provider), Unknown)
    assert a_grant(provider) == Done(50)


def test_a_repeat_that_is_still_being_worked_on_is_unknown(server: ProviderServer, provider: HttpProvider) -> None:
    server.says(b"", status=409)
    assert isinstance(a_grant(provider), Unknown)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>all is well</html>",
        b"[]",
        b"null",
        b"{}",
        b'{"outcome": "surely"}',
        b'{"outcome": "out_of_stock"}',
        b'{"outcome": "done", "points": -1}',
        b'{"outcome": "done", "points": "50"}',
        b'{"outcome": "done", "points": 50',
        b'{"outcome": "done", "points": 50.5}',
        b'{"outcome": "done", "points": 50, "text": "' + b"x" * LONGEST_BODY + b'"}',
        b"\xff\xfe",
    ],
)
def test_a_body_that_cannot_be_read_is_unknown(server: ProviderServer, provider: HttpProvider, body: bytes) -> None:
    server.says(body)
    assert isinstance(a_grant(provider), Unknown)
    assert a_grant(provider) == Done(50)


def test_a_body_that_is_cut_off_is_unknown(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(Fault(200, b'{"outcome": "done"}', {"Content-Length": "1000", "Connection": "close"}))
    assert isinstance(a_grant(provider), Unknown)


def test_an_answer_to_something_else_settles_nothing(server: ProviderServer, provider: HttpProvider) -> None:
    server.says(b'{"outcome": "done", "collected": 51}')
    assert isinstance(provider.reclaim("r0", "k", MEMBER, 50, allow_debt=False), Unknown)
    server.says(b'{"outcome": "done", "revoked": ["C1"], "used": []}')
    assert isinstance(provider.revoke("r1", MEMBER, ("C1", "C2")), Unknown)
    server.says(b'{"outcome": "done", "codes": []}')
    assert isinstance(provider.issue("k1", "TEA", MEMBER, 1), Unknown)


def test_fields_nobody_knows_are_ignored_and_points_unsaid_are_those_asked(
    server: ProviderServer, provider: HttpProvider
) -> None:
    server.says(b'{"outcome": "done", "trace": "abc"}')
    assert a_grant(provider) == Done(50)
