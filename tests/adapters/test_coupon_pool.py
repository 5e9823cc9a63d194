"""The pool of coupons where DynamoDB does not simply answer, and where two workers meet."""

from collections import Counter
from collections.abc import Iterator

import boto3
import pytest
from botocore.client import BaseClient
from moto import mock_aws

from adapters.coupon_items import CODE_LETTERS, Stock
from adapters.coupon_pool import DynamoCouponPool
from rewards.provider import Issued, Member, OutOfStock, Revoked, Unknown
from tests.fakes.faults import lose_reply, meanwhile, refuse
from tests.fakes.tables import make_table

MEMBER = Member("1", "M1")


@pytest.fixture
def client() -> Iterator[BaseClient]:
    with mock_aws():
        client = boto3.client("dynamodb")
        make_table(client, "coupons", "Item")
        yield client


@pytest.fixture
def pool(client: BaseClient) -> DynamoCouponPool:
    pool = DynamoCouponPool(client, "coupons")
    pool.add_stock("1", "TEA", 3)
    return pool


@pytest.fixture
def another(client: BaseClient) -> DynamoCouponPool:
    """The same pool in the hands of another worker."""
    return DynamoCouponPool(boto3.client("dynamodb", region_name=client.meta.region_name), "coupons")


def codes_of(answer: object) -> tuple[str, ...]:
    assert isinstance(answer, Issued)
    return answer.codes


def books_agree(pool: DynamoCouponPool, shop_id: str, template: str) -> bool:
    """As many coupons of the template as the stock says were issued."""
    made = [coupon for coupon in pool.coupons() if (coupon.member.shop_id, coupon.template) == (shop_id, template)]
    return pool.stock(shop_id, template).issued == len(made)


def test_an_issue_whose_reply_was_lost_is_found_by_its_key(pool: DynamoCouponPool, client: BaseClient) -> None:
    lose_reply(client, "TransactWriteItems")
    assert isinstance(pool.issue("k", "TEA", MEMBER, 2), Unknown)
    codes = codes_of(pool.issue("k", "TEA", MEMBER, 2))
    assert [coupon.code for coupon in sorted(pool.coupons())] == sorted(codes)
    assert pool.stock("1", "TEA") == Stock(left=1, issued=2)


def test_every_stock_can_be_listed(pool: DynamoCouponPool) -> None:
    pool.issue("k", "TEA", MEMBER, 2)
    pool.add_stock("2", "C#KE", 5)
    assert pool.stocks() == [("1", "TEA", Stock(left=1, issued=2)), ("2", "C#KE", Stock(left=5, issued=0))]


def test_out_of_stock_whose_reply_was_lost_stands(
    pool: DynamoCouponPool, client: BaseClient, another: DynamoCouponPool
) -> None:
    def lose_the_next() -> None:
        lose_reply(client, "TransactWriteItems")

    meanwhile(client, "TransactWriteItems", lose_the_next)
    assert isinstance(pool.issue("k", "TEA", MEMBER, 4), Unknown)
    another.add_stock("1", "TEA", 9)
    assert pool.issue("k", "TEA", MEMBER, 4) == OutOfStock()


def test_a_revoke_whose_reply_was_lost_is_found_by_its_key(pool: DynamoCouponPool, client: BaseClient) -> None:
    codes = codes_of(pool.issue("k", "TEA", MEMBER, 2))
    pool.use("1", codes[0])
    lose_reply(client, "TransactWriteItems")
    assert isinstance(pool.revoke("r", MEMBER, codes), Unknown)
    assert pool.revoke("r", MEMBER, codes) == Revoked(codes[1:], codes[:1])


def test_stock_that_comes_while_out_of_stock_is_noted_changes_nothing_under_the_key(
    pool: DynamoCouponPool, client: BaseClient, another: DynamoCouponPool
) -> None:
    meanwhile(client, "TransactWriteItems", lambda: another.add_stock("1", "TEA", 9))
    assert pool.issue("k", "TEA", MEMBER, 4) == OutOfStock()
    assert pool.issue("k", "TEA", MEMBER, 4) == OutOfStock()
    assert pool.stock("1", "TEA") == Stock(left=12, issued=0)


def test_of_two_workers_with_one_key_the_one_that_found_stock_is_right(
    pool: DynamoCouponPool, client: BaseClient, another: DynamoCouponPool
) -> None:
    told: list[tuple[str, ...]] = []

    def restocked_and_issued() -> None:
        another.add_stock("1", "TEA", 4)
        told.append(codes_of(another.issue("k", "TEA", MEMBER, 4)))

    meanwhile(client, "TransactWriteItems", restocked_and_issued)
    assert codes_of(pool.issue("k", "TEA", MEMBER, 4)) == told[0]
    assert pool.stock("1", "TEA") == Stock(left=3, issued=4)


def test_a_coupon_used_while_it_is_revoked_stays_used_and_the_others_are_revoked(
    pool: DynamoCouponPool, client: BaseClient, another: DynamoCouponPool
) -> None:
    codes = codes_of(pool.issue("k", "TEA", MEMBER, 3))
    meanwhile(client, "GetItem", lambda: another.use("1", codes[0]))
    assert pool.revoke("r", MEMBER, codes) == Revoked(codes[1:], codes[:1])
    assert Counter(coupon.state for coupon in pool.coupons()) == {"revoked": 2, "used": 1}


def test_two_workers_with_the_same_key_revoke_once(
    pool: DynamoCouponPool, client: BaseClient, another: DynamoCouponPool
) -> None:
    codes = codes_of(pool.issue("k", "TEA", MEMBER, 1))
    meanwhile(client, "GetItem", lambda: another.revoke("r", MEMBER, codes))
    assert pool.revoke("r", MEMBER, codes) == Revoked(codes, ())


def test_a_code_that_was_drawn_before_is_not_issued_again(
    pool: DynamoCouponPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter("A" * 24 + "B" * 12)
    monkeypatch.setattr("secrets.choice", lambda _: next(drawn))
    assert codes_of(pool.issue("k0", "TEA", MEMBER, 1)) == ("A" * 12,)
    assert codes_of(pool.issue("k1", "TEA", MEMBER, 1)) == ("B" * 12,)
    assert pool.stock("1", "TEA") == Stock(left=1, issued=2)


def test_a_conflict_of_transactions_passes_unnoticed(pool: DynamoCouponPool, client: BaseClient) -> None:
    refuse(client, "TransactWriteItems", "TransactionConflictException", times=2)
    assert len(codes_of(pool.issue("k", "TEA", MEMBER, 1))) == 1


@pytest.mark.parametrize("code", ["TransactionConflictException", "ThrottlingException", "InternalServerError"])
def test_a_table_that_will_not_answer_leaves_it_unknown_and_nothing_done(
    pool: DynamoCouponPool, client: BaseClient, code: str
) -> None:
    refuse(client, "TransactWriteItems", code, times=4)
    assert isinstance(pool.issue("k", "TEA", MEMBER, 1), Unknown)
    assert list(pool.coupons()) == []
    assert pool.stock("1", "TEA") == Stock(left=3, issued=0)


def test_fifty_coupons_the_most_a_promotion_gives_fit_one_transaction(pool: DynamoCouponPool) -> None:
    pool.add_stock("1", "TEA", 50)
    codes = codes_of(pool.issue("k", "TEA", MEMBER, 50))
    assert pool.revoke("r", MEMBER, codes) == Revoked(codes, ())
    assert books_agree(pool, "1", "TEA")


def test_a_code_is_twelve_letters_that_nobody_misreads(pool: DynamoCouponPool) -> None:
    (code,) = codes_of(pool.issue("k", "TEA", MEMBER, 1))
    assert len(code) == 12
    assert set(code) <= set(CODE_LETTERS)
    assert not set(CODE_LETTERS) & set("ILOU")
