"""The wallet where DynamoDB does not simply answer, and its books."""

import boto3
import pytest
from botocore.client import BaseClient

from adapters.batches import STATEMENTS_MOST
from adapters.wallet import DynamoWallet
from adapters.wallet_items import Account, Entry
from rewards.provider import Done, Member, PointsGrant, Unknown
from tests.fakes.faults import change_answer, lose_reply, meanwhile, refuse
from tests.fakes.points import grant_one
from tests.fakes.tables import make_table

MEMBER = Member("1", "M1")
GRANTS = [PointsGrant(f"k{number}", MEMBER, 10 + number, "28343") for number in range(3)]
ALL_GRANTED = Account(MEMBER, [Entry("k0", 10), Entry("k1", 11), Entry("k2", 12)])


@pytest.fixture
def client(dynamodb: BaseClient) -> BaseClient:
    make_table(dynamodb, "wallet", "Member", "Item")
    return dynamodb


@pytest.fixture
def wallet(client: BaseClient) -> DynamoWallet:
    return DynamoWallet(client, "wallet")


@pytest.fixture
def another(client: BaseClient, session: boto3.Session) -> DynamoWallet:
    """The same wallet in the hands of another worker."""
    return DynamoWallet(session.client("dynamodb"), "wallet")


def test_a_grant_whose_reply_was_lost_is_found_by_its_key(wallet: DynamoWallet, client: BaseClient) -> None:
    lose_reply(client, "PutItem")
    assert isinstance(grant_one(wallet, "k", MEMBER, 50), Unknown)
    assert grant_one(wallet, "k", MEMBER, 50) == Done(50)
    assert wallet.account(MEMBER) == Account(MEMBER, [Entry("k", 50)])


def test_grants_whose_reply_was_lost_are_found_by_their_keys(wallet: DynamoWallet, client: BaseClient) -> None:
    lose_reply(client, "BatchExecuteStatement")
    assert {type(answer) for answer in wallet.grant_all(GRANTS)} == {Unknown}
    assert wallet.grant_all(GRANTS) == [Done(10), Done(11), Done(12)]
    assert wallet.account(MEMBER) == ALL_GRANTED


def test_a_grant_that_failed_in_the_batch_is_asked_for_by_itself(wallet: DynamoWallet, client: BaseClient) -> None:
    throttled = {"Error": {"Code": "ThrottlingError", "Message": ""}}
    change_answer(client, "BatchExecuteStatement", Responses=[{}, throttled, {}])
    assert wallet.grant_all(GRANTS) == [Done(10), Done(11), Done(12)]
    assert wallet.account(MEMBER) == ALL_GRANTED


def test_a_grant_that_is_still_not_taken_spoils_no_other(wallet: DynamoWallet, client: BaseClient) -> None:
    grant_one(wallet, "k1", MEMBER, 11)
    refuse(client, "PutItem", "InternalServerError")
    first, second, third = wallet.grant_all(GRANTS)
    assert (first, third) == (Done(10), Done(12))
    assert isinstance(second, Unknown)
    assert wallet.account(MEMBER) == ALL_GRANTED


def test_a_grant_that_makes_the_whole_call_invalid_spoils_no_other(wallet: DynamoWallet, client: BaseClient) -> None:
    refuse(client, "BatchExecuteStatement", "ValidationException")
    assert wallet.grant_all(GRANTS) == [Done(10), Done(11), Done(12)]
    assert wallet.account(MEMBER) == ALL_GRANTED


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError"])
def test_while_the_table_answers_nothing_it_is_asked_once_for_all(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet, code: str
) -> None:
    refuse(client, "BatchExecuteStatement", code)
    assert {type(answer) for answer in wallet.grant_all(GRANTS)} == {Unknown}
    assert another.account(MEMBER) == Account(MEMBER, [])


def test_a_failed_call_is_unknown_of_its_own_grants_only(wallet: DynamoWallet, client: BaseClient) -> None:
    grants = [PointsGrant(f"k{number}", MEMBER, 1, "28343") for number in range(STATEMENTS_MOST + 3)]
    refuse(client, "BatchExecuteStatement", "InternalServerError")
    answers = wallet.grant_all(grants)
    assert {type(answer) for answer in answers[:STATEMENTS_MOST]} == {Unknown}
    assert answers[STATEMENTS_MOST:] == [Done(1)] * 3


def test_an_identifier_with_quotes_is_no_part_of_a_statement(wallet: DynamoWallet) -> None:
    grants = [PointsGrant(f"'?\"}}{number}", Member("1'", 'M"'), 5, "'; ?") for number in range(2)]
    assert wallet.grant_all(grants) == [Done(5)] * 2
    assert [entry.key for entry in wallet.account(Member("1'", 'M"')).entries] == [grant.key for grant in grants]


def test_a_reclaim_whose_reply_was_lost_is_found_by_its_key(wallet: DynamoWallet, client: BaseClient) -> None:
    grant_one(wallet, "k", MEMBER, 50)
    lose_reply(client, "TransactWriteItems")
    assert isinstance(wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False), Unknown)
    assert wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False) == Done(50)
    assert wallet.account(MEMBER) == Account(MEMBER, [Entry("k", 50), Entry("r", -50, is_reclaim=True)])


def test_points_granted_while_the_balance_was_added_up_are_left(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    grant_one(wallet, "k", MEMBER, 50)
    meanwhile(client, "Query", lambda: grant_one(another, "k2", MEMBER, 20))
    assert wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False) == Done(50)
    assert wallet.balance(MEMBER) == 20


@pytest.mark.parametrize("allow_debt", [False, True])
@pytest.mark.parametrize("before", [0, 2])
def test_of_two_reclaims_at_once_together_no_more_than_the_balance_is_collected(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet, before: int, allow_debt: bool
) -> None:
    grant_one(wallet, "k", MEMBER, 50 + before)
    for number in range(before):
        wallet.reclaim(f"before-{number}", "k", MEMBER, 1, allow_debt=allow_debt)
    meanwhile(client, "Query", lambda: another.reclaim("r2", "k", MEMBER, 40, allow_debt=allow_debt))
    assert wallet.reclaim("r", "k", MEMBER, 40, allow_debt=False) == Done(10)
    assert wallet.balance(MEMBER) == 0


def test_a_reclaim_between_two_pages_of_the_entries_is_noticed(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    """Its entry comes in on a page that is read already."""
    grant_one(wallet, "b", MEMBER, 30)
    grant_one(wallet, "c", MEMBER, 20)
    pages_of_one_entry(client)
    meanwhile(client, "Query", lambda: another.reclaim("a", "b", MEMBER, 40, allow_debt=False))
    assert wallet.reclaim("r", "b", MEMBER, 40, allow_debt=False) == Done(10)
    assert wallet.balance(MEMBER) == 0


def test_two_workers_with_the_same_key_collect_once(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    grant_one(wallet, "k", MEMBER, 50)
    meanwhile(client, "Query", lambda: another.reclaim("r", "k", MEMBER, 40, allow_debt=False))
    assert wallet.reclaim("r", "k", MEMBER, 40, allow_debt=False) == Done(40)
    assert wallet.balance(MEMBER) == 10


def test_a_member_from_whom_others_never_stop_to_collect_is_left_for_later(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet
) -> None:
    grant_one(wallet, "k", MEMBER, 50)

    def keep_collecting() -> None:
        another.reclaim(f"more-{another.account(MEMBER).reclaims}", "k", MEMBER, 1, allow_debt=False)
        meanwhile(client, "Query", keep_collecting)

    meanwhile(client, "Query", keep_collecting)
    assert isinstance(wallet.reclaim("r", "k", MEMBER, 80, allow_debt=False), Unknown)
    assert another.account(MEMBER).balance == 50 - another.account(MEMBER).reclaims > 0


def test_a_conflict_of_transactions_passes_unnoticed(wallet: DynamoWallet, client: BaseClient) -> None:
    grant_one(wallet, "k", MEMBER, 50)
    refuse(client, "TransactWriteItems", "TransactionConflictException", times=2)
    assert wallet.reclaim("r", "k", MEMBER, 50, allow_debt=False) == Done(50)


@pytest.mark.parametrize("code", ["TransactionConflictException", "ThrottlingException", "InternalServerError"])
def test_a_table_that_will_not_answer_leaves_it_unknown_and_nothing_done(
    wallet: DynamoWallet, client: BaseClient, another: DynamoWallet, code: str
) -> None:
    refuse(client, "PutItem", code, times=4)
    assert isinstance(grant_one(wallet, "k", MEMBER, 50), Unknown)
    refuse(client, "TransactWriteItems", code, times=4)
    assert isinstance(wallet.reclaim("r", "k", MEMBER, 50, allow_debt=True), Unknown)
    assert another.account(MEMBER) == Account(MEMBER, [])


def test_the_books_have_every_entry_of_every_account(wallet: DynamoWallet) -> None:
    for number in range(5):
        member = Member("1#", f"M~{number % 2}")
        grant_one(wallet, f"g{number}", member, 10 * (number + 1))
        wallet.reclaim(f"r{number}", f"g{number}", member, 25, allow_debt=number == 4)
    accounts = wallet.accounts()
    assert {account.member: account.balance for account in accounts} == {
        Member("1#", "M~0"): 10 - 10 + 30 - 25 + 50 - 25,
        Member("1#", "M~1"): 20 - 20 + 40 - 25,
    }
    assert sum(len(account.entries) for account in accounts) == 10
    for account in accounts:
        assert wallet.account(account.member) == account


def test_a_member_nobody_knows_has_an_empty_account(wallet: DynamoWallet) -> None:
    assert wallet.account(MEMBER) == Account(MEMBER, [])


def pages_of_one_entry(client: BaseClient) -> None:
    """From now on every page of a query holds one item."""

    def one(params: dict[str, int], **_: object) -> None:
        params["Limit"] = 1

    client.meta.events.register("provide-client-params.dynamodb.Query", one)


def test_a_damaged_entry_is_no_answer_for_its_own_key_and_spoils_no_other(
    wallet: DynamoWallet, client: BaseClient
) -> None:
    wallet.grant_all(GRANTS[1:2])
    entries = client.scan(TableName="wallet", FilterExpression="attribute_exists(Points)")  # type: ignore[attr-defined]
    (entry,) = entries["Items"]
    client.put_item(TableName="wallet", Item={name: entry[name] for name in entry if name != "Points"})  # type: ignore[attr-defined]
    first, second, third = wallet.grant_all(GRANTS)
    assert (first, third) == (Done(10), Done(12))
    assert isinstance(second, Unknown)
