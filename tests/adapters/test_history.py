"""History items in the ledger's table."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from moto import mock_aws
from msgspec.structs import replace

from adapters.history import DynamoHistory, NotWrittenError
from adapters.items import history_item, history_of
from rewards.errors import TooNew
from rewards.history import HistoryItem
from rewards.order import OrderId
from rewards.reward import RewardId
from rewards.status import Status
from tests.fakes.faults import change_answer
from tests.fakes.tables import make_ledger_table

GOLDEN = Path(__file__).parent.parent / "golden" / "history"
ORDER = OrderId("1", "TG20193021")
RECYCLED = HistoryItem(
    id=RewardId(*ORDER, "28343"),
    version=7,
    previous=5,
    before=Status.REWARD,
    after=Status.REWARD,
    reason="recycled as far as the balance went",
    actor="recycle_points",
    at=datetime(2026, 11, 20, 2, 3, 4, 567000, tzinfo=UTC),
    points=50,
    recycle_points=30,
    shortfall=20,
    held="paid again",
)


@pytest.fixture
def client() -> Iterator[BaseClient]:
    with mock_aws():
        client = boto3.client("dynamodb")
        make_ledger_table(client, "ledger")
        yield client


@pytest.fixture
def history(client: BaseClient) -> DynamoHistory:
    return DynamoHistory(client, "ledger")


def versions(*numbers: int, promotion_id: str = "28343") -> list[HistoryItem]:
    return [replace(RECYCLED, id=RewardId(*ORDER, promotion_id), version=number) for number in numbers]


def test_the_changes_of_an_order_are_read_by_promotion_in_the_order_they_happened(history: DynamoHistory) -> None:
    first, second = versions(2, 9, 10, 100), versions(1, promotion_id="283431")
    history.write([*reversed(first), *second, *versions(1, promotion_id="A#B")])
    assert history.of_order(ORDER) == [*first, *second, *versions(1, promotion_id="A#B")]


def test_an_item_written_again_is_the_same_item(history: DynamoHistory) -> None:
    for _ in range(2):
        history.write([RECYCLED])
    assert history.of_order(ORDER) == [RECYCLED]


def test_more_than_a_call_takes_are_all_written(history: DynamoHistory) -> None:
    many = versions(*range(1, 61))
    history.write(many)
    assert history.of_order(ORDER) == many


def test_items_the_table_left_out_are_written_again(history: DynamoHistory, client: BaseClient) -> None:
    left_out = {"ledger": [{"PutRequest": {"Item": history_item(RECYCLED)}}]}
    change_answer(client, "BatchWriteItem", UnprocessedItems=left_out)
    history.write(versions(1))
    assert history.of_order(ORDER) == [*versions(1), RECYCLED]


def test_a_table_that_leaves_items_out_for_ever_is_told_of(history: DynamoHistory, client: BaseClient) -> None:
    left_out = {"ledger": [{"PutRequest": {"Item": history_item(RECYCLED)}}]}
    change_answer(client, "BatchWriteItem", times=3, UnprocessedItems=left_out)
    with pytest.raises(NotWrittenError):
        history.write([RECYCLED])


def golden(name: str) -> dict[str, Any]:
    item: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return item


def test_a_history_item_reads_as_it_did_when_it_was_new() -> None:
    assert history_of(golden("HistoryItem.v1")) == RECYCLED


def test_todays_history_item_is_written_as_the_newest_golden_one() -> None:
    assert history_item(RECYCLED) == golden("HistoryItem.v1")


def test_attributes_nobody_knows_are_ignored_but_not_a_newer_version() -> None:
    item = golden("HistoryItem.v1")
    assert history_of(item | {"News": {"S": "new"}}) == RECYCLED
    with pytest.raises(TooNew):
        history_of(item | {"v": {"N": "2"}})
