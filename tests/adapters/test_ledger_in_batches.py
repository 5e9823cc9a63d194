"""The ledger where many rows are read and written in one call, on a DynamoDB that tells the truth about statements."""

from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from msgspec.structs import replace

from adapters.ledger import DynamoLedger, NotRead
from adapters.quota import DynamoQuota
from rewards.order import OrderId
from rewards.reward import Lock, Reward, RewardId
from tests.builders import NOW, a_paid_order, a_reward
from tests.fakes.faults import change_answer, lose_reply, refuse
from tests.fakes.tables import make_ledger_table, make_table

ROWS = [a_reward(order_group=f"TG{number}") for number in range(25)]
IDS = [row.id for row in ROWS]
Change = tuple[Reward, Reward]


@pytest.fixture
def client(dynamodb: BaseClient) -> BaseClient:
    make_ledger_table(dynamodb, "ledger")
    make_table(dynamodb, "quota", "Counted")
    return dynamodb


@pytest.fixture
def ledger(client: BaseClient) -> DynamoLedger:
    ledger = DynamoLedger(client, "ledger", DynamoQuota(client, "quota"))
    for row in ROWS:
        assert ledger.decide(None, a_paid_order(order_group=row.id.order_group), [(None, row)])
    return ledger


def claim(row: Reward, by: str = "me") -> Change:
    return row, row.with_lock(Lock(by, NOW, "grant", "k", 50))


def settle(claimed: Reward) -> Change:
    return claimed, claimed.change("granted", by="grant_points", at=NOW, lock=None, due=None, is_reward=True)


CLAIMS = [claim(row) for row in ROWS]
SETTLES = [settle(claimed) for _, claimed in CLAIMS]


def test_rows_are_claimed_and_settled_together_and_read_back_as_they_were_written(ledger: DynamoLedger) -> None:
    assert ledger.each_reward(IDS) == ROWS
    for changes in (CLAIMS, SETTLES):
        assert ledger.write_each(changes) == [True] * 25
        assert ledger.each_reward(IDS) == [after for _, after in changes]


def test_a_statement_that_loses_its_condition_loses_alone(ledger: DynamoLedger) -> None:
    theirs = claim(ROWS[7], "another")
    assert ledger.write_reward(*theirs)
    assert ledger.write_each(CLAIMS) == [place != 7 for place in range(25)]
    assert ledger.reward(IDS[7]) == theirs[1]


def test_a_row_that_is_not_there_does_not_come_to_be(ledger: DynamoLedger) -> None:
    nobody = a_reward(order_group="nobody")
    assert ledger.write_each([*CLAIMS[:3], claim(nobody)]) == [True, True, True, False]
    assert ledger.each_reward([IDS[0], nobody.id]) == [CLAIMS[0][1], None]


@pytest.mark.parametrize("code", ["ThrottlingError", "TransactionConflict", "InternalServerError", "ValidationError"])
def test_a_statement_that_was_not_taken_is_written_by_itself(
    ledger: DynamoLedger, client: BaseClient, code: str
) -> None:
    told: list[dict[str, Any]] = [{} for _ in CLAIMS]
    told[3] = {"Error": {"Code": code, "Message": ""}}
    assert ledger.write_each(CLAIMS[:3] + CLAIMS[4:]) == [True] * 24
    change_answer(client, "BatchExecuteStatement", Responses=told)
    assert ledger.write_each(CLAIMS) == [True] * 25
    assert ledger.reward(IDS[3]) == CLAIMS[3][1]


@pytest.mark.parametrize("changes", [CLAIMS, SETTLES], ids=["claims", "settles"])
def test_after_a_lost_reply_each_row_tells_that_it_was_written(
    ledger: DynamoLedger, client: BaseClient, changes: list[Change]
) -> None:
    if changes is SETTLES:
        ledger.write_each(CLAIMS)
    lose_reply(client, "BatchExecuteStatement")
    assert {type(told) for told in ledger.write_each(changes)} != {bool}
    assert ledger.write_each(changes) == [True] * 25
    assert ledger.each_reward(IDS) == [after for _, after in changes]


def test_where_a_lost_condition_comes_without_its_item_the_row_itself_is_asked(
    ledger: DynamoLedger, client: BaseClient
) -> None:
    assert ledger.write_each(CLAIMS[:24]) == [True] * 24
    assert ledger.write_reward(*claim(ROWS[24], "another"))
    lost = {"Error": {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}}
    change_answer(client, "BatchExecuteStatement", Responses=[lost] * 25)
    assert ledger.write_each(CLAIMS) == [True] * 24 + [False]


def test_in_a_call_that_is_found_invalid_each_row_is_written_by_itself(
    ledger: DynamoLedger, client: BaseClient
) -> None:
    refuse(client, "BatchExecuteStatement", "ValidationException")
    assert ledger.write_each(CLAIMS) == [True] * 25


def test_while_nobody_answers_a_batch_fails_and_the_next_one_is_written(
    ledger: DynamoLedger, client: BaseClient
) -> None:
    refuse(client, "BatchExecuteStatement", "ThrottlingException")
    more = [a_reward(order_group=f"MORE{number}") for number in range(2)]
    for row in more:
        assert ledger.decide(None, a_paid_order(order_group=row.id.order_group), [(None, row)])
    told = ledger.write_each([*CLAIMS, *map(claim, more)])
    assert all(isinstance(each, Exception) for each in told[:25])
    assert told[25:] == [True, True]
    assert ledger.each_reward(IDS) == ROWS


def test_keys_that_were_left_out_are_asked_for_again(ledger: DynamoLedger, client: BaseClient) -> None:
    left_out = {"ledger": {"Keys": [{"Order": {"S": "1#TG0"}, "Item": {"S": "REWARD#28343"}}]}}
    change_answer(client, "BatchGetItem", UnprocessedKeys=left_out)
    assert ledger.each_reward(IDS) == ROWS


def test_a_key_that_is_left_out_to_the_end_fails_alone(ledger: DynamoLedger, client: BaseClient) -> None:
    left_out = {"ledger": {"Keys": [{"Order": {"S": "1#TG0"}, "Item": {"S": "REWARD#28343"}}]}}
    change_answer(client, "BatchGetItem", times=4, UnprocessedKeys=left_out)
    first, *others = ledger.each_reward(IDS)
    assert isinstance(first, NotRead)
    assert others == ROWS[1:]


def test_more_than_a_call_holds_is_read_in_several(ledger: DynamoLedger) -> None:
    ids = [*IDS, *(RewardId("1", f"nobody {number}", "28343") for number in range(200))]
    assert ledger.each_reward(ids) == [*ROWS, *[None] * 200]


def test_a_key_that_makes_the_whole_read_invalid_spoils_no_other(ledger: DynamoLedger, client: BaseClient) -> None:
    refuse(client, "BatchGetItem", "ValidationException", times=2)  # all together, then the first alone
    first, *others = ledger.each_reward(IDS)
    assert isinstance(first, ClientError)
    assert others == ROWS[1:]


def test_an_order_that_several_rewards_ask_for_is_told_to_each(ledger: DynamoLedger) -> None:
    ids = [OrderId("1", "TG0"), OrderId("1", "TG1"), OrderId("1", "TG0"), OrderId("1", "nobody")]
    found = [order and not isinstance(order, Exception) and order.id.order_group for order in ledger.each_order(ids)]
    assert found == ["TG0", "TG1", "TG0", None]


def test_a_row_that_a_newer_version_wrote_fails_alone(ledger: DynamoLedger, client: Any) -> None:
    newer = {":v": {"N": "2"}}
    key = {"Order": {"S": "1#TG0"}, "Item": {"S": "REWARD#28343"}}
    client.update_item(
        TableName="ledger",
        Key=key,
        UpdateExpression="SET #v = :v",
        ExpressionAttributeNames={"#v": "v"},
        ExpressionAttributeValues=newer,
    )
    first, *others = ledger.each_reward(IDS)
    assert isinstance(first, Exception)
    assert others == ROWS[1:]


def test_equal_changes_are_made_of_equal_rows(ledger: DynamoLedger) -> None:
    """What is written is the difference of two rows, though only what changed is looked at."""
    before = ROWS[0]
    after = replace(before, version=2, due=None, booking_time=None, codes=("A",), points=0, attempts=3)
    assert ledger.write_each([(before, after), CLAIMS[1]]) == [True, True]
    assert ledger.reward(before.id) == after
    assert ledger.write_each([(after, replace(before, version=3)), SETTLES[1]]) == [True, True]
    assert ledger.reward(before.id) == replace(before, version=3)
