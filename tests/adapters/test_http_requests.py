"""What a provider over HTTP is sent, and to whom the token is shown."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from adapters.http_operations import HttpOperations
from adapters.http_provider import HttpProvider
from adapters.secret import Secret
from rewards.provider import Done, Member, NotNow, Refused, Unknown
from tests.builders import NOW
from tests.fakes.points import grant_one
from tests.fakes.provider_server import DROPPED, ProviderServer

MEMBER = Member("1", "M1")


def a_grant(provider: HttpProvider, key: str = "k") -> Done | Refused | NotNow | Unknown:
    return grant_one(provider, key, MEMBER, 50)


def test_a_request_carries_the_key_the_token_and_the_arguments(server: ProviderServer, provider: HttpProvider) -> None:
    a_grant(provider, "1#TG20193021#28343#grant#0")
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/rewards/points/grants")
    assert request.headers["Idempotency-Key"] == "1#TG20193021#28343#grant#0"
    assert request.headers["Authorization"] == "Bearer opens-the-door"
    assert request.body == {"member": {"shop_id": "1", "member_id": "M1"}, "points": 50, "reason": "28343"}


@pytest.mark.parametrize("odd", ["會員 1", "50%", "a/b", "../#", "x\ny", "~1", "%23"])
def test_a_key_is_one_key_in_the_header_and_in_the_path(
    server: ProviderServer, provider: HttpProvider, odd: str
) -> None:
    server.says_409_to_a_repeat = True
    assert [a_grant(provider, odd) for _ in range(2)] == [Done(50)] * 2
    assert server.methods() == ["POST", "POST", "GET"]
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
    server.says(b"busy", status=429)
    server.says(b"no", status=422)
    for number in range(5):
        a_grant(provider, f"k{number}")
    assert server.connections == 1


def test_a_token_that_was_changed_is_read_anew(server: ProviderServer, provider: HttpProvider) -> None:
    a_grant(provider, "k0")
    server.token = "another"
    assert a_grant(provider, "k1") == Done(50)
    assert server.methods() == ["POST", "POST", "POST"]


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
