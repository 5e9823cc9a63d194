"""What every provider of points promises: in memory, in the wallet and over HTTP (contract §4)."""

from collections.abc import Iterator
from typing import Protocol

import boto3
import pytest
from moto import mock_aws

from adapters.http_provider import HttpProvider
from adapters.wallet import DynamoWallet
from rewards.provider import Done, Member, PointsProvider
from tests.fakes.points import MemoryPoints
from tests.fakes.provider_server import ProviderServer, operations_at, provider_server
from tests.fakes.tables import make_table

MEMBER = Member("1", "M1")


class Accounts(PointsProvider, Protocol):
    """A provider whose books can be read."""

    def balance(self, member: Member) -> int: ...


class HttpAccounts(HttpProvider):
    """A service, and a look into its books."""

    def __init__(self, server: ProviderServer) -> None:
        super().__init__(operations_at(server))
        self._server = server

    def balance(self, member: Member) -> int:
        return self._server.points.balance(member)


@pytest.fixture(params=["memory", "wallet", "http", "http with 409"])
def points(request: pytest.FixtureRequest) -> Iterator[Accounts]:
    match request.param:
        case "memory":
            yield MemoryPoints()
        case "wallet":
            with mock_aws():
                client = boto3.client("dynamodb")
                make_table(client, "wallet", "Member", "Item")
                yield DynamoWallet(client, "wallet")
        case _:
            with provider_server() as server:
                server.says_409_to_a_repeat = request.param == "http with 409"
                yield HttpAccounts(server)


def test_points_are_granted(points: Accounts) -> None:
    assert points.grant("k#grant#0", MEMBER, 50, "28343") == Done(50)
    assert points.balance(MEMBER) == 50


def test_a_key_grants_once_however_often_it_is_asked(points: Accounts) -> None:
    assert [points.grant("k#grant#0", MEMBER, 50, "28343") for _ in range(3)] == [Done(50)] * 3
    assert points.balance(MEMBER) == 50


def test_the_first_answer_for_a_key_stands_whatever_is_asked_later(points: Accounts) -> None:
    points.grant("k#grant#0", MEMBER, 50, "28343")
    assert points.grant("k#grant#0", MEMBER, 70, "28343") == Done(50)
    assert points.balance(MEMBER) == 50


def test_another_key_grants_again(points: Accounts) -> None:
    points.grant("k#grant#0", MEMBER, 50, "28343")
    assert points.grant("k#grant#1", MEMBER, 20, "28343") == Done(20)
    assert points.balance(MEMBER) == 70


def test_points_are_collected_once_for_a_key(points: Accounts) -> None:
    points.grant("k#grant#0", MEMBER, 50, "28343")
    for _ in range(2):
        assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 30, allow_debt=False) == Done(30)
    assert points.balance(MEMBER) == 20


def test_no_more_is_collected_than_the_balance(points: Accounts) -> None:
    points.grant("k#grant#0", MEMBER, 50, "28343")
    points.reclaim("other", "k#grant#0", MEMBER, 40, allow_debt=False)
    assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 50, allow_debt=False) == Done(10)
    assert points.balance(MEMBER) == 0


def test_what_was_collected_short_stays_so_when_the_balance_rises_again(points: Accounts) -> None:
    points.grant("k#grant#0", MEMBER, 10, "28343")
    points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 50, allow_debt=False)
    points.grant("other", MEMBER, 100, "28343")
    assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 50, allow_debt=False) == Done(10)
    assert points.balance(MEMBER) == 100


def test_where_debt_is_allowed_all_is_collected(points: Accounts) -> None:
    points.grant("k#grant#0", MEMBER, 10, "28343")
    assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 50, allow_debt=True) == Done(50)
    assert points.balance(MEMBER) == -40


def test_from_a_member_in_debt_nothing_more_is_collected(points: Accounts) -> None:
    points.reclaim("debt", "k#grant#0", MEMBER, 50, allow_debt=True)
    assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 30, allow_debt=False) == Done(0)
    assert points.balance(MEMBER) == -50


def test_from_a_member_nobody_knows_nothing_is_collected(points: Accounts) -> None:
    assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 30, allow_debt=False) == Done(0)
    assert points.balance(MEMBER) == 0


def test_equal_member_ids_in_two_shops_are_two_people(points: Accounts) -> None:
    points.grant("k#grant#0", MEMBER, 50, "28343")
    assert points.balance(Member("2", "M1")) == 0


@pytest.mark.parametrize(
    ("one", "other"), [(Member("1", "A#B"), Member("1#A", "B")), (Member("~", "1"), Member("~1", ""))]
)
def test_a_delimiter_in_an_identifier_merges_no_members(points: Accounts, one: Member, other: Member) -> None:
    points.grant("k#grant#0", one, 50, "28343")
    assert points.balance(other) == 0
