"""The counts of places, when DynamoDB is busy or in the middle of something else."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from moto import mock_aws

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota, NotCounted
from rewards.occupying import occupy
from rewards.outcomes import Occupied
from rewards.promotion import Quota
from rewards.quota import Limits
from rewards.reward import Place
from tests.builders import ORDERED_AT, a_paid_order, a_promotion, a_reward, an_order
from tests.fakes.faults import cancel, change_answer, lose_reply
from tests.fakes.tables import make_ledger_table, make_table
from tests.fakes.world import TIMETABLE, MemoryPromotions, MemoryTimers
from tests.rewards.events import placed

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LIMITED = a_promotion(quota=Quota(total=100, per_member=2, occupy=True))
HOLDS = a_reward(place=Place(shard=3))


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator["DynamoDBClient"]:
    monkeypatch.setattr("time.sleep", lambda _: None)
    with mock_aws():
        client = boto3.client("dynamodb")
        make_ledger_table(client, "ledger")
        make_table(client, "quota", "Counted")
        yield client


@pytest.fixture
def ledger(client: "DynamoDBClient") -> DynamoLedger:
    return DynamoLedger(client, "ledger", DynamoQuota(client, "quota"))


def take(ledger: DynamoLedger) -> bool:
    return ledger.decide(None, a_paid_order(), [(None, HOLDS)], {"28343": Limits(shard=7)})


def taken(ledger: DynamoLedger) -> int:
    return sum(ledger.used(LIMITED, "M1").shards)


def test_a_conflict_that_passes_is_not_noticed(client: "DynamoDBClient", ledger: DynamoLedger) -> None:
    cancel(client, "None", "None", "TransactionConflict", times=3)
    assert take(ledger)
    assert taken(ledger) == 1


def test_one_that_stays_is_for_the_caller_to_decide_again(client: "DynamoDBClient", ledger: DynamoLedger) -> None:
    cancel(client, "None", "None", "TransactionConflict", times=4)
    assert not take(ledger)
    assert taken(ledger) == 0


def test_who_decides_again_begins_at_another_shard(client: "DynamoDBClient", ledger: DynamoLedger) -> None:
    cancel(client, "None", "None", "TransactionConflict", times=8)
    order = an_order()
    outcomes = occupy(
        placed(order), ledger, MemoryPromotions(LIMITED), MemoryTimers(), timetable=TIMETABLE, now=ORDERED_AT
    )
    assert outcomes == [Occupied(HOLDS.id)]
    assert ledger.used(LIMITED, "M1").member == 1


def test_a_table_that_is_throttled_is_no_quota_that_is_full(client: "DynamoDBClient", ledger: DynamoLedger) -> None:
    cancel(client, "None", "None", "ThrottlingError")
    with pytest.raises(ClientError):
        take(ledger)


def test_a_lost_reply_takes_one_place_and_gives_one_back(client: "DynamoDBClient", ledger: DynamoLedger) -> None:
    cancelled = HOLDS.cancel("cancelled", by="withdraw", at=ORDERED_AT)
    for places, write in [(1, lambda: take(ledger)), (0, lambda: ledger.write_reward(HOLDS, cancelled))]:
        lose_reply(client, "TransactWriteItems")
        with pytest.raises(ReadTimeoutError):
            write()
        assert write()
        assert taken(ledger) == places


def test_counts_that_are_left_out_of_an_answer_are_asked_for_again(
    client: "DynamoDBClient", ledger: DynamoLedger
) -> None:
    take(ledger)
    left_out = {"quota": {"Keys": [{"Counted": {"S": "1#28343#SHARD#3"}}], "ConsistentRead": True}}
    change_answer(client, "BatchGetItem", Responses={"quota": []}, UnprocessedKeys=left_out)
    assert taken(ledger) == 1
    change_answer(client, "BatchGetItem", times=3, Responses={"quota": []}, UnprocessedKeys=left_out)
    with pytest.raises(NotCounted):
        taken(ledger)
