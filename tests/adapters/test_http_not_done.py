"""A provider over HTTP that says it did nothing: busy, or refusing."""

import pytest

from adapters.http_operations import LONGEST_BODY
from adapters.http_provider import HttpProvider
from rewards.provider import Done, Member, NotNow, Refused, Unknown
from tests.fakes.points import grant_one
from tests.fakes.provider_server import Fault, ProviderServer, operations_at, provider_server

MEMBER = Member("1", "M1")


def a_grant(provider: HttpProvider, key: str = "k") -> Done | Refused | NotNow | Unknown:
    return grant_one(provider, key, MEMBER, 50)


def test_without_a_connection_nothing_was_sent() -> None:
    with provider_server() as gone:
        operations = operations_at(gone)
    assert isinstance(a_grant(HttpProvider(operations)), NotNow)


@pytest.mark.parametrize("status", [401, 403, 408, 425, 429])
def test_a_provider_that_cannot_now_is_asked_later_and_not_by_key(
    server: ProviderServer, provider: HttpProvider, status: int
) -> None:
    server.says(b"come\nback", status=status)
    assert a_grant(provider) == NotNow(f"HTTP {status}: come back")
    assert server.methods() == ["POST"]


def test_a_provider_says_when_to_come_back(server: ProviderServer, provider: HttpProvider) -> None:
    server.faults.append(Fault(429, headers={"Retry-After": "120"}))
    answer = a_grant(provider)
    assert isinstance(answer, NotNow)
    assert answer.retry_after is not None
    assert answer.retry_after.total_seconds() == 120


@pytest.mark.parametrize("status", [400, 404, 405, 413, 422, 451])
def test_a_provider_that_says_no_is_quoted(server: ProviderServer, provider: HttpProvider, status: int) -> None:
    server.says(b"no such member" + b"!" * LONGEST_BODY, status=status)
    answer = a_grant(provider)
    assert isinstance(answer, Refused)
    assert answer.reason.startswith(f"HTTP {status}: no such member!")
    assert len(answer.reason) == 300
    assert server.methods() == ["POST"]


def test_a_reply_too_long_to_read_costs_its_connection_and_no_other(
    server: ProviderServer, provider: HttpProvider
) -> None:
    for _ in range(10):
        server.says(b"x" * 2 * LONGEST_BODY, status=422)
        assert isinstance(a_grant(provider), Refused)
    assert a_grant(provider) == Done(50)
