"""The wallet where DynamoDB does not simply answer, and its books."""

from collections.abc import Iterator

import boto3
import pytest
from botocore.client import BaseClient
from moto import mock_aws

from adapters.wallet import Account, DynamoWallet, Entry
from rewards.provider import Done, Member, Unknown
from tests.fakes.faults import lose_reply, meanwhile, refuse
from tests.fakes.tables import make_table

MEMBER = Member("1", "M1")


@pytest.fixture
def client() -> Iterator[BaseClient]:
    with mock_aws():
        client = boto3.client("dynamodb")
        make_table(client, "wallet", "Member", "Item")
        yield client


@pytest.fixture
def wallet(client: BaseClient) -> DynamoWallet:
    return DynamoWallet(client, "wallet")


@pytest.fixture
def another(client: BaseClient) -> DynamoWallet:
    """The same wallet in the hands of another worker."""
    return DynamoWallet(boto3.client("dynamodb", region_name=client.meta.region_name), "wallet")


def test_a_grant_whose_reply_was_lost_is_found_by_its_key(wallet: DynamoWallet, client: BaseClient) -> None:
    lose_reply(client, "TransactWriteItems")
    assert isinstance(wallet.grant("k", MEMBER, 50, "28343"), Unknown)
    assert wallet.grant("k", MEMBER, 50, "28343") == Done(50)
    assert wallet.account(MEMBER) == Account(MEMBER, 50, [Entry("k", 50, 50)])


def test_a_reclaim_whose_reply_was_lost_is_found_by_its_key(wallet: DynamoWallet, client: BaseClient) -> None:
    wallet.grant("k", MEMBER, 50, "28343")
    lose_reply(client, "TransactWriteItems")
    assert isinstance(wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False), Unknown)
    assert wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False) == Done(50)
    assert wallet.account(MEMBER) == Account(MEMBER, 0, [Entry("k", 50, 50), Entry("r", 80, -50)])


def test_a_balance_that_rose_meanwhile_is_counted_again(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    wallet.grant("k", MEMBER, 50, "28343")
    meanwhile(client, "GetItem", lambda: another.grant("k2", MEMBER, 20, "28343"))
    assert wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False) == Done(70)
    assert wallet.balance(MEMBER) == 0


def test_of_two_reclaims_at_once_together_no_more_than_the_balance_is_collected(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    wallet.grant("k", MEMBER, 50, "28343")
    meanwhile(client, "GetItem", lambda: another.reclaim("r2", "k", MEMBER, 40, allow_debt=False))
    assert wallet.reclaim("r", "k", MEMBER, 40, allow_debt=False) == Done(10)
    assert wallet.balance(MEMBER) == 0


def test_two_workers_with_the_same_key_collect_once(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    wallet.grant("k", MEMBER, 50, "28343")
    meanwhile(client, "GetItem", lambda: another.reclaim("r", "k", MEMBER, 40, allow_debt=False))
    assert wallet.reclaim("r", "k", MEMBER, 40, allow_debt=False) == Done(40)
    assert wallet.balance(MEMBER) == 10


def test_a_balance_that_never_rests_is_left_for_later(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    wallet.grant("k", MEMBER, 50, "28343")

    def keep_moving() -> None:
        another.grant(f"more-{another.balance(MEMBER)}", MEMBER, 1, "28343")
        meanwhile(client, "GetItem", keep_moving)

    meanwhile(client, "GetItem", keep_moving)
    assert isinstance(wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False), Unknown)
    assert another.balance(MEMBER) == sum(entry.points for entry in another.account(MEMBER).entries) > 50


def test_a_conflict_of_transactions_passes_unnoticed(wallet: DynamoWallet, client: BaseClient) -> None:
    refuse(client, "TransactWriteItems", "TransactionConflictException", times=2)
    assert wallet.grant("k", MEMBER, 50, "28343") == Done(50)


@pytest.mark.parametrize("code", ["TransactionConflictException", "ThrottlingException", "InternalServerError"])
def test_a_table_that_will_not_answer_leaves_it_unknown_and_nothing_done(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet, code: str
) -> None:
    refuse(client, "TransactWriteItems", code, times=4)
    assert isinstance(wallet.grant("k", MEMBER, 50, "28343"), Unknown)
    assert another.account(MEMBER) == Account(MEMBER, 0, [])


def test_every_balance_is_the_sum_of_its_entries(wallet: DynamoWallet) -> None:
    for number in range(5):
        member = Member("1#", f"M~{number % 2}")
        wallet.grant(f"g{number}", member, 10 * (number + 1), "28343")
        wallet.reclaim(f"r{number}", f"g{number}", member, 25, allow_debt=number == 4)
    accounts = wallet.accounts()
    assert {account.member for account in accounts} == {Member("1#", "M~0"), Member("1#", "M~1")}
    assert sum(len(account.entries) for account in accounts) == 10
    for account in accounts:
        assert account.balance == sum(entry.points for entry in account.entries)
        assert wallet.account(account.member) == account


def test_a_member_nobody_knows_has_an_empty_account(wallet: DynamoWallet) -> None:
    assert wallet.account(MEMBER) == Account(MEMBER, 0, [])
