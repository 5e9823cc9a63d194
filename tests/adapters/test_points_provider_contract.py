"""What every provider of points promises: in memory, in the wallet and over HTTP (contract §4)."""

from collections.abc import Iterator
from typing import Protocol

import pytest

from adapters.http_provider import HttpProvider
from adapters.wallet import DynamoWallet
from rewards.provider import Done, Member, PointsGrant, PointsProvider
from tests.fakes.points import MemoryPoints, grant_one
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
            client = request.getfixturevalue("dynamodb")
            make_table(client, "wallet", "Member", "Item")
            yield DynamoWallet(client, "wallet")
        case _:
            with provider_server() as server:
                server.says_409_to_a_repeat = request.param == "http with 409"
                yield HttpAccounts(server)


def test_points_are_granted(points: Accounts) -> None:
    assert grant_one(points, "k#grant#0", MEMBER, 50) == Done(50)
    assert points.balance(MEMBER) == 50


def test_a_key_grants_once_however_often_it_is_asked(points: Accounts) -> None:
    assert [grant_one(points, "k#grant#0", MEMBER, 50) for _ in range(3)] == [Done(50)] * 3
    assert points.balance(MEMBER) == 50


def test_the_first_answer_for_a_key_stands_whatever_is_asked_later(points: Accounts) -> None:
    grant_one(points, "k#grant#0", MEMBER, 50)
    assert grant_one(points, "k#grant#0", MEMBER, 70) == Done(50)
    assert points.balance(MEMBER) == 50


def test_another_key_grants_again(points: Accounts) -> None:
    grant_one(points, "k#grant#0", MEMBER, 50)
    assert grant_one(points, "k#grant#1", MEMBER, 20) == Done(20)
    assert points.balance(MEMBER) == 70


def test_many_are_granted_together_each_with_its_own_answer(points: Accounts) -> None:
    """More than fit into one call of anybody's."""
    grants = [PointsGrant(f"k{number}", Member("1", f"M{number % 3}"), 10 + number, "28343") for number in range(60)]
    assert points.grant_all(grants) == [Done(10 + number) for number in range(60)]
    for number in range(3):
        assert points.balance(Member("1", f"M{number}")) == sum(10 + each for each in range(number, 60, 3))


def test_of_many_together_those_asked_before_get_their_first_answer(points: Accounts) -> None:
    grant_one(points, "k1", MEMBER, 50)
    grants = [PointsGrant(f"k{number}", MEMBER, 20, "28343") for number in range(3)]
    for _ in range(2):
        assert points.grant_all(grants) == [Done(20), Done(50), Done(20)]
    assert points.balance(MEMBER) == 90


def test_nothing_is_granted_where_nothing_is_asked(points: Accounts) -> None:
    assert points.grant_all([]) == []


def test_how_many_are_best_asked_for_at_once_is_told(points: Accounts) -> None:
    assert points.together >= 1


def test_points_are_collected_once_for_a_key(points: Accounts) -> None:
    grant_one(points, "k#grant#0", MEMBER, 50)
    for _ in range(2):
        assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 30, allow_debt=False) == Done(30)
    assert points.balance(MEMBER) == 20


def test_no_more_is_collected_than_the_balance(points: Accounts) -> None:
    grant_one(points, "k#grant#0", MEMBER, 50)
    points.reclaim("other", "k#grant#0", MEMBER, 40, allow_debt=False)
    assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 50, allow_debt=False) == Done(10)
    assert points.balance(MEMBER) == 0


def test_what_was_collected_short_stays_so_when_the_balance_rises_again(points: Accounts) -> None:
    grant_one(points, "k#grant#0", MEMBER, 10)
    points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 50, allow_debt=False)
    grant_one(points, "other", MEMBER, 100)
    assert points.reclaim("k#reclaim#0", "k#grant#0", MEMBER, 50, allow_debt=False) == Done(10)
    assert points.balance(MEMBER) == 100


def test_where_debt_is_allowed_all_is_collected(points: Accounts) -> None:
    grant_one(points, "k#grant#0", MEMBER, 10)
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
    grant_one(points, "k#grant#0", MEMBER, 50)
    assert points.balance(Member("2", "M1")) == 0


@pytest.mark.parametrize(
    ("one", "other"), [(Member("1", "A#B"), Member("1#A", "B")), (Member("~", "1"), Member("~1", ""))]
)
def test_a_delimiter_in_an_identifier_merges_no_members(points: Accounts, one: Member, other: Member) -> None:
    grant_one(points, "k#grant#0", one, 50)
    assert points.balance(other) == 0
