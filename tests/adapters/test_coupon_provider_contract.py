"""What every provider of coupons promises: in memory, in the pool and over HTTP (contract §4)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Protocol

import boto3
import pytest
from moto import mock_aws

from adapters.coupon_items import Coupon, Stock
from adapters.coupon_pool import DynamoCouponPool
from adapters.http_provider import HttpProvider
from rewards.provider import CouponProvider, Issued, Member, OutOfStock, Refused, Revoked
from tests.fakes.coupons import MemoryCoupons
from tests.fakes.provider_server import ProviderServer, operations_at, provider_server
from tests.fakes.tables import make_table

MEMBER = Member("1", "M1")


class Coupons(CouponProvider, Protocol):
    """A provider with a stock that can be filled, members who use coupons, and books that can be read."""

    def add_stock(self, shop_id: str, template: str, count: int) -> None: ...

    def stock(self, shop_id: str, template: str) -> Stock: ...

    def use(self, shop_id: str, code: str) -> bool: ...

    def coupons(self) -> Iterable[Coupon]: ...


class HttpCoupons(HttpProvider):
    """A service, its stock and its members, and a look into its books."""

    def __init__(self, server: ProviderServer) -> None:
        super().__init__(operations_at(server))
        self.add_stock = server.coupons.add_stock
        self.stock = server.coupons.stock
        self.use = server.coupons.use
        self.coupons = server.coupons.coupons


@pytest.fixture(params=["memory", "pool", "http", "http with 409"])
def coupons(request: pytest.FixtureRequest) -> Iterator[Coupons]:
    match request.param:
        case "memory":
            yield MemoryCoupons()
        case "pool":
            with mock_aws():
                client = boto3.client("dynamodb")
                make_table(client, "coupons", "Item")
                yield DynamoCouponPool(client, "coupons")
        case _:
            with provider_server() as server:
                server.says_409_to_a_repeat = request.param == "http with 409"
                yield HttpCoupons(server)


def issued(coupons: Coupons, quantity: int, key: str = "k#grant#0", template: str = "TEA") -> tuple[str, ...]:
    """The codes of so many coupons, for which there is stock."""
    coupons.add_stock("1", template, quantity)
    answer = coupons.issue(key, template, MEMBER, quantity)
    assert isinstance(answer, Issued)
    return answer.codes


def states(coupons: Coupons) -> dict[str, str]:
    return {coupon.code: coupon.state for coupon in coupons.coupons()}


def test_coupons_are_issued_out_of_the_stock(coupons: Coupons) -> None:
    coupons.add_stock("1", "TEA", 5)
    answer = coupons.issue("k#grant#0", "TEA", MEMBER, 2)
    assert isinstance(answer, Issued)
    assert len(set(answer.codes)) == 2
    assert sorted(coupons.coupons()) == sorted(Coupon(MEMBER, code, "TEA", "issued") for code in answer.codes)
    assert coupons.stock("1", "TEA") == Stock(left=3, issued=2)


def test_a_key_issues_once_however_often_it_is_asked(coupons: Coupons) -> None:
    codes = issued(coupons, 2)
    coupons.add_stock("1", "TEA", 10)
    assert [coupons.issue("k#grant#0", "TEA", MEMBER, 2) for _ in range(3)] == [Issued(codes)] * 3
    assert coupons.stock("1", "TEA") == Stock(left=10, issued=2)


def test_the_first_answer_for_a_key_stands_whatever_is_asked_later(coupons: Coupons) -> None:
    codes = issued(coupons, 1)
    coupons.add_stock("1", "TEA", 10)
    assert coupons.issue("k#grant#0", "TEA", MEMBER, 3) == Issued(codes)


def test_all_are_issued_or_none(coupons: Coupons) -> None:
    coupons.add_stock("1", "TEA", 2)
    assert coupons.issue("k#grant#0", "TEA", MEMBER, 3) == OutOfStock()
    assert coupons.stock("1", "TEA") == Stock(left=2, issued=0)


def test_out_of_stock_stands_for_its_key_when_the_stock_comes_and_the_next_key_gets_it(coupons: Coupons) -> None:
    assert coupons.issue("k#grant#0", "TEA", MEMBER, 1) == OutOfStock()
    coupons.add_stock("1", "TEA", 1)
    assert coupons.issue("k#grant#0", "TEA", MEMBER, 1) == OutOfStock()
    assert isinstance(coupons.issue("k#grant#1", "TEA", MEMBER, 1), Issued)
    assert coupons.stock("1", "TEA") == Stock(left=0, issued=1)


def test_no_more_is_issued_than_there_is_and_no_code_twice(coupons: Coupons) -> None:
    coupons.add_stock("1", "TEA", 3)
    answers = [coupons.issue(f"k{number}", "TEA", Member("1", f"M{number}"), 1) for number in range(5)]
    codes = [code for answer in answers if isinstance(answer, Issued) for code in answer.codes]
    assert len(set(codes)) == len(codes) == 3
    assert answers[3:] == [OutOfStock()] * 2


def test_stocks_of_other_templates_and_shops_are_others(coupons: Coupons) -> None:
    coupons.add_stock("1", "TEA", 1)
    coupons.add_stock("2", "CAKE", 1)
    assert coupons.issue("k0", "CAKE", MEMBER, 1) == OutOfStock()
    assert coupons.issue("k1", "TEA", Member("2", "M1"), 1) == OutOfStock()


def test_coupons_are_revoked_once_for_a_key(coupons: Coupons) -> None:
    codes = issued(coupons, 2)
    for _ in range(2):
        assert coupons.revoke("k#reclaim#0", MEMBER, codes[:1]) == Revoked(codes[:1], ())
    assert states(coupons) == {codes[0]: "revoked", codes[1]: "issued"}


def test_used_coupons_stay_used_and_the_others_are_revoked(coupons: Coupons) -> None:
    codes = issued(coupons, 3)
    assert coupons.use("1", codes[1])
    assert coupons.revoke("k#reclaim#0", MEMBER, codes) == Revoked((codes[0], codes[2]), (codes[1],))
    assert Counter(states(coupons).values()) == {"revoked": 2, "used": 1}


def test_a_coupon_is_used_once_and_never_after_it_was_revoked(coupons: Coupons) -> None:
    codes = issued(coupons, 2)
    assert [coupons.use("1", codes[0]) for _ in range(2)] == [True, False]
    coupons.revoke("k#reclaim#0", MEMBER, codes[1:])
    assert not coupons.use("1", codes[1])
    assert not coupons.use("1", "nobody's")


def test_what_a_revoke_answered_stands(coupons: Coupons) -> None:
    (code,) = issued(coupons, 1)
    coupons.use("1", code)
    first = coupons.revoke("k#reclaim#0", MEMBER, (code,))
    assert first == Revoked((), (code,)) == coupons.revoke("k#reclaim#0", MEMBER, (code,))


def test_a_coupon_that_is_void_already_counts_as_revoked(coupons: Coupons) -> None:
    codes = issued(coupons, 1)
    coupons.revoke("k#reclaim#0", MEMBER, codes)
    assert coupons.revoke("k#reclaim#1", MEMBER, codes) == Revoked(codes, ())


def test_a_revoked_coupon_does_not_go_back_into_the_stock(coupons: Coupons) -> None:
    coupons.revoke("k#reclaim#0", MEMBER, issued(coupons, 1))
    assert coupons.issue("k#grant#1", "TEA", MEMBER, 1) == OutOfStock()


def test_coupons_are_found_whoever_holds_them_now(coupons: Coupons) -> None:
    codes = issued(coupons, 1)
    assert coupons.revoke("k#reclaim#0", Member("1", "M2"), codes) == Revoked(codes, ())


def test_a_code_that_never_was_is_refused_and_nothing_is_revoked(coupons: Coupons) -> None:
    codes = issued(coupons, 1)
    answer = coupons.revoke("k#reclaim#0", MEMBER, (*codes, "nobody's"))
    assert isinstance(answer, Refused)
    assert "nobody's" in answer.reason
    assert states(coupons) == {codes[0]: "issued"}


@pytest.mark.parametrize(("one", "other"), [(("1", "A#B"), ("1#A", "B")), (("~", "1"), ("~1", ""))])
def test_a_delimiter_in_an_identifier_merges_no_stocks(
    coupons: Coupons, one: tuple[str, str], other: tuple[str, str]
) -> None:
    coupons.add_stock(*one, 1)
    assert coupons.stock(*other) == Stock(left=0, issued=0)
