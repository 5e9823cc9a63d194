"""Whatever a provider's service replies, it is an answer that a row can be settled by, or one to ask again by."""

import json
from collections.abc import Callable, Iterator, Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.http_provider import HttpProvider
from adapters.retry_after import retry_after
from rewards.provider import Done, Issued, Member, NotNow, OutOfStock, PointsGrant, Refused, Revoked, Unknown
from tests.builders import NOW
from tests.fakes.provider_server import Fault, ProviderServer, operations_at, provider_server
from tests.rewards.spoilt import DEEP, spoilt

MEMBER = Member("1", "M1")
Asked = Callable[[HttpProvider], object]
ASKED: dict[str, tuple[Asked, dict[str, object]]] = {
    "grant": (
        lambda provider: provider.grant_all([PointsGrant("k", MEMBER, 50, "P")])[0],
        {"outcome": "done", "points": 50},
    ),
    "reclaim": (
        lambda provider: provider.reclaim("k", "g", MEMBER, 50, allow_debt=False),
        {"outcome": "done", "collected": 50},
    ),
    "issue": (lambda provider: provider.issue("k", "TEA", MEMBER, 1), {"outcome": "done", "codes": ["A"]}),
    "revoke": (
        lambda provider: provider.revoke("k", MEMBER, ("A",)),
        {"outcome": "done", "revoked": ["A"], "used": []},
    ),
}
ANSWERS = Done | Issued | Revoked | OutOfStock | Refused | NotNow | Unknown
headers = st.dictionaries(
    st.sampled_from(["Retry-After", "Content-Type", "Content-Encoding", "Location"]),
    st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=20)
    | st.sampled_from(["gzip", "deflate", "br", "9" * 5000, "Tue, 10 Nov 2026 04:01:30 GMT"]),
)


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


@pytest.fixture(scope="module")
def provider(server: ProviderServer) -> HttpProvider:
    return HttpProvider(operations_at(server))


@pytest.mark.parametrize("asked", ASKED)
@given(data=st.data(), status=st.sampled_from([200, 201, 204, 301, 400, 401, 409, 422, 429, 500]), told=headers)
def test_any_reply_is_one_of_the_answers(
    asked: str,
    data: st.DataObject,
    status: int,
    told: Mapping[str, str],
    server: ProviderServer,
    provider: HttpProvider,
) -> None:
    ask, result = ASKED[asked]
    bodies = (
        st.binary(max_size=40) | spoilt(result).map(lambda value: json.dumps(value).encode()) | st.just(DEEP.encode())
    )
    replies = [Fault(status, data.draw(bodies), told) for _ in range(2)]  # to what is asked, and to asking by its key
    server.faults.extend(replies)
    answer = ask(provider)
    server.faults.clear()
    assert isinstance(answer, ANSWERS)
    assert msgspec.json.decode(msgspec.json.encode(answer), type=type(answer)) == answer


@pytest.mark.parametrize("asked", ASKED)
def test_the_result_that_is_spoilt_here_is_a_good_one(
    asked: str, server: ProviderServer, provider: HttpProvider
) -> None:
    ask, result = ASKED[asked]
    server.says(json.dumps(result).encode())
    assert isinstance(ask(provider), Done | Issued | Revoked)


@pytest.mark.parametrize("asked", ASKED)
def test_a_result_without_end_or_beyond_all_numbers_is_none(
    asked: str, server: ProviderServer, provider: HttpProvider
) -> None:
    ask, _ = ASKED[asked]
    huge = json.dumps({"outcome": "done", "points": 2**63, "collected": 2**63}).encode()
    for body in (b'{"outcome": "done", "more": ' + DEEP.encode(), huge):
        server.says(body)
        server.says(body)
        assert isinstance(ask(provider), Unknown)


@given(st.text())
def test_whatever_retry_after_says_is_a_time_to_wait_or_nothing(header: str) -> None:
    wait = retry_after(header, NOW)
    assert wait is None or wait >= wait * 0
