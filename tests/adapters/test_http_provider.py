"""A provider over HTTP when it is slow, breaks off, is busy, has another token, says no, or says nonsense."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from urllib3 import Timeout

from adapters.http_operations import LONGEST_BODY, HttpOperations
from adapters.http_provider import HttpProvider
from adapters.secret import Secret
from rewards.provider import Done, Issued, Member, NotNow, OutOfStock, Refused, Revoked, Unknown
from tests.builders import NOW
from tests.fakes.provider_server import BROKEN, DROPPED, Fault, ProviderServer, operations_at, provider_server

MEMBER = Member("1", "M1")
KEY = "1#TG20193021#28343#grant#0"


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


@pytest.fixture
def provider(server: ProviderServer) -> HttpProvider:
    return HttpProvider(operations_at(server))


def methods(server: ProviderServer) -> list[str]:
    return [request.method for request in server.requests]


def a_grant(provider: HttpProvider, key: str = KEY) -> Done | Refused | NotNow | Unknown:
    return provider.grant(key, MEMBER, 50, "28343")


def answers(server: ProviderServer, *bodies: bytes, status: int = 200) -> None:
    """What the server says to the next requests, whatever they are."""
    server.faults += [Fault(status, body) for body in bodies]


# What is sent


def test_a_request_carries_the_key_the_token_and_the_arguments(server: ProviderServer, provider: HttpProvider) -> None:
    a_grant(provider)
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/rewards/points/grants")
    assert request.headers["Idempotency-Key"] == KEY
    assert request.headers["Authorization"] == "Bearer opens-the-door"
    assert request.body == {"member": {"shop_id": "1", "member_id": "M1"}, "points": 50, "reason": "28343"}


@pytest.mark.parametrize("odd", ["會員 1", "50%", "a/b", "../#", "x\ny", "~1", "%23"])
def test_a_key_is_one_key_in_the_header_and_in_the_path(
    server: ProviderServer, provider: HttpProvider, odd: str
) -> None:
    server.says_409_to_a_repeat = True
    assert [a_grant(provider, odd) for _ in range(2)] == [Done(50)] * 2
    assert methods(server) == ["POST", "POST", "GET"]
    assert server.points.balance(MEMBER) == 50


def test_keys_that_differ_differ_on_the_wire(server: ProviderServer, provider: HttpProvider) -> None:
    for key in ("%20", " ", "%2520"):
        a_grant(provider, key)
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 3


def test_a_reclaim_names_the_grant_by_the_key_it_was_sent_with(server: ProviderServer, provider: HttpProvider) -> None:
    a_grant(provider, "訂單#grant#0")
    provider.reclaim("訂單#reclaim#0", "訂單#grant#0", MEMBER, 50, allow_debt=False)
    grant, reclaim = server.requests
    assert reclaim.body["grant_key"] == grant.headers["Idempotency-Key"]


def test_one_connection_serves_call_after_call(server: ProviderServer, provider: HttpProvider) -> None:
    answers(server, b"busy", status=429)
    answers(server, b"no", status=422)
    for number in range(5):
        a_grant(provider, f"k{number}")
    assert server.connections == 1


# What may have been done


def test_work_whose_reply_was_lost_is_found_by_its_key(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(DROPPED)
    assert a_grant(provider) == Done(50)
    assert methods(server) == ["POST", "GET"]
    assert server.points.balance(MEMBER) == 50


def test_coupons_whose_reply_was_lost_are_found_by_their_key(server: ProviderServer, provider: HttpProvider) -> None:
    server.coupons.put_stock("1", "TEA", 2)
    server.faults.append(DROPPED)
    assert provider.issue(KEY, "TEA", MEMBER, 2) == Issued(("C1", "C2"))
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
        assert methods(server) == ["POST", "GET"]
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
    assert methods(server) == ["POST", "GET"]


def test_an_error_after_the_work_was_done_is_no_error(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(Fault(500, works=True))
    assert a_grant(provider) == Done(50)


@pytest.mark.parametrize("second", [BROKEN, Fault(500), Fault(401), Fault(429), Fault(404), Fault(200, b"<html>")])
def test_while_nobody_can_tell_it_stays_unknown(server: ProviderServer, provider: HttpProvider, second: Fault) -> None:
    server.faults += [DROPPED, second]
    assert isinstance(a_grant(provider), Unknown)
    assert a_grant(provider) == Done(50)


def test_a_repeat_that_is_still_being_worked_on_is_unknown(server: ProviderServer, provider: HttpProvider) -> None:
    answers(server, b"", status=409)
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
    answers(server, body)
    assert isinstance(a_grant(provider), Unknown)
    assert a_grant(provider) == Done(50)


def test_a_body_that_is_cut_off_is_unknown(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(Fault(200, b'{"outcome": "done"}', {"Content-Length": "1000", "Connection": "close"}))
    assert isinstance(a_grant(provider), Unknown)


def test_an_answer_to_something_else_settles_nothing(server: ProviderServer, provider: HttpProvider) -> None:
    answers(server, b'{"outcome": "done", "collected": 51}')
    assert isinstance(provider.reclaim("r0", KEY, MEMBER, 50, allow_debt=False), Unknown)
    answers(server, b'{"outcome": "done", "revoked": ["C1"], "used": []}')
    assert isinstance(provider.revoke("r1", MEMBER, ("C1", "C2")), Unknown)
    answers(server, b'{"outcome": "done", "codes": []}')
    assert isinstance(provider.issue("k1", "TEA", MEMBER, 1), Unknown)


def test_fields_nobody_knows_are_ignored_and_points_unsaid_are_those_asked(
    server: ProviderServer, provider: HttpProvider
) -> None:
    answers(server, b'{"outcome": "done", "trace": "abc"}')
    assert a_grant(provider) == Done(50)


# What was not done


def test_without_a_connection_nothing_was_sent() -> None:
    with provider_server() as gone:
        operations = operations_at(gone)
    assert isinstance(a_grant(HttpProvider(operations)), NotNow)


@pytest.mark.parametrize("status", [401, 403, 408, 425, 429])
def test_a_provider_that_cannot_now_is_asked_later_and_not_by_key(
    server: ProviderServer, provider: HttpProvider, status: int
) -> None:
    answers(server, b"come\nback", status=status)
    assert a_grant(provider) == NotNow(f"HTTP {status}: come back")
    assert methods(server) == ["POST"]


def test_a_provider_says_when_to_come_back(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(Fault(429, headers={"Retry-After": "120"}))
    answer = a_grant(provider)
    assert isinstance(answer, NotNow)
    assert answer.retry_after is not None
    assert answer.retry_after.total_seconds() == 120


@pytest.mark.parametrize("status", [400, 404, 405, 413, 422, 451])
def test_a_provider_that_says_no_is_quoted(server: ProviderServer, provider: HttpProvider, status: int) -> None:
    answers(server, b"no such member" + b"!" * LONGEST_BODY, status=status)
    answer = a_grant(provider)
    assert isinstance(answer, Refused)
    assert answer.reason.startswith(f"HTTP {status}: no such member!")
    assert len(answer.reason) == 300
    assert methods(server) == ["POST"]


def test_a_reply_too_long_to_read_costs_its_connection_and_no_other(
    server: ProviderServer, provider: HttpProvider
) -> None:
    for _ in range(10):
        answers(server, b"x" * 2 * LONGEST_BODY, status=422)
        assert isinstance(a_grant(provider), Refused)
    assert a_grant(provider) == Done(50)


# The token, and to whom it is shown


def test_a_token_that_was_changed_is_read_anew(server: ProviderServer, provider: HttpProvider) -> None:
    a_grant(provider, "k0")
    server.token = "another"
    assert a_grant(provider, "k1") == Done(50)
    assert methods(server) == ["POST", "POST", "POST"]


def test_a_token_that_was_changed_meanwhile_is_read_anew_to_ask_by_key(
    server: ProviderServer, provider: HttpProvider
) -> None:
    a_grant(provider, "k0")
    server.faults.append(DROPPED)
    server.points.meanwhile = lambda: setattr(server, "token", "another")
    assert a_grant(provider, "k1") == Done(50)


def test_a_token_that_opens_nothing_is_tried_once_and_read_anew_once(server: ProviderServer) -> None:
    tokens = iter(["wrong\n", "wrong"])
    operations = HttpOperations(server.url, Secret(lambda: next(tokens)), now=lambda: NOW)
    assert isinstance(a_grant(HttpProvider(operations)), NotNow)
    assert list(tokens) == []
    assert [request.headers["Authorization"] for request in server.requests] == ["Bearer wrong"]


@pytest.mark.parametrize(
    "url",
    [
        "http://points.example.com",
        "http://localhost.example.com",
        "http://10.0.0.1:8080",
        "ftp://points.example.com",
        "https://",
        "points.example.com",
        "/points",
        "",
        "https://user:secret@points.example.com",
        "https://points.example.com/?a=b",
        "https://points.example.com/#top",
    ],
)
def test_an_address_that_would_send_the_token_in_the_clear_or_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="provider's URL") as refused:
        HttpOperations(url, Secret(lambda: "token"), now=lambda: NOW)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["https://points.example.com", "https://points.example.com:8443/api/", "http://localhost:1", "HTTPS://P.example"],
)
def test_an_address_over_tls_or_on_this_machine_will_do(url: str) -> None:
    HttpOperations(url, Secret(lambda: "token"), now=lambda: NOW)


def test_a_server_that_cannot_prove_its_name_hears_nothing(server: ProviderServer, tmp_path: Path) -> None:
    server.socket = self_signed(tmp_path).wrap_socket(server.socket, server_side=True)
    url = f"https://localhost:{server.server_port}"
    answer = a_grant(HttpProvider(HttpOperations(url, Secret(lambda: server.token), now=lambda: NOW)))
    assert isinstance(answer, Unknown)
    assert "CERTIFICATE_VERIFY_FAILED" in answer.problem
    assert server.requests == []


def self_signed(folder: Path) -> ssl.SSLContext:
    """A server's side of TLS under a certificate for localhost that nobody vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(hours=1)
    ).sign(key, hashes.SHA256())
    pem = folder / "localhost.pem"
    unencrypted = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem.write_bytes(unencrypted + certificate.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context
