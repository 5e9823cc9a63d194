"""What the due index promises, in memory and in DynamoDB: rows of a window in working order, whatever the pages."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from moto import mock_aws
from msgspec.structs import replace

from adapters.due_index import DynamoDueIndex
from adapters.items import reward_item
from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from rewards import due
from rewards.ledger import Ledger
from rewards.packing import DueIndex
from rewards.reward import Reward, RewardId
from rewards.tasks import ShardWindow
from tests.builders import a_paid_order, a_reward
from tests.fakes.due_index import MemoryDueIndex
from tests.fakes.ledger import MemoryLedger
from tests.fakes.tables import make_ledger_table

FIVE_PM = datetime(2026, 12, 1, 17, tzinfo=UTC)


@pytest.fixture
def client() -> Iterator[Any]:
    with mock_aws():
        client = boto3.client("dynamodb")
        make_ledger_table(client, "ledger")
        yield client


@pytest.fixture(params=["memory", "dynamo"])
def ports(request: pytest.FixtureRequest) -> tuple[Ledger, DueIndex]:
    if request.param == "memory":
        ledger = MemoryLedger()
        return ledger, MemoryDueIndex(ledger)
    client = request.getfixturevalue("client")
    return DynamoLedger(client, "ledger", DynamoQuota(client, "quota")), DynamoDueIndex(client, "ledger")


def a_due_reward(order_group: str, at: datetime, *, member_id: str = "M1", **fields: Any) -> Reward:
    reward = a_reward(order_group=order_group, member_id=member_id, booking_time=at, due=None, **fields)
    keys = due.due_keys(
        "reward", at, reward.changed_at, reward.id, member_id, reward.ordered_at, shards=1, period=timedelta(hours=1)
    )
    return replace(reward, due=keys)


def stored(ledger: Ledger, *rewards: Reward) -> None:
    for reward in rewards:
        assert ledger.decide(None, a_paid_order(id=reward.id.order), [(None, reward)])


def the_hour(start: datetime, **fields: Any) -> ShardWindow:
    end = start + timedelta(hours=1)
    return ShardWindow("reward", f"{start:%Y-%m-%d}", 0, f"{start:%Y-%m-%dT%H:%MZ}", f"{end:%Y-%m-%dT%H:%MZ}", **fields)


def orders(index: DueIndex, window: ShardWindow) -> list[str]:
    return [due.parse(row.sort).order_group for part in index.parts(window) for row in part]


def test_a_row_on_the_whole_hour_stands_in_the_window_it_starts_and_in_no_other(ports: tuple[Ledger, DueIndex]) -> None:
    ledger, index = ports
    stored(ledger, a_due_reward("on-the-hour", FIVE_PM))
    assert orders(index, the_hour(FIVE_PM - timedelta(hours=1))) == []
    assert orders(index, the_hour(FIVE_PM)) == ["on-the-hour"]
    assert orders(index, the_hour(FIVE_PM + timedelta(hours=1))) == []


def test_rows_come_by_member_and_then_in_the_order_of_their_orders_times(ports: tuple[Ledger, DueIndex]) -> None:
    ledger, index = ports
    early, late = datetime(2026, 11, 20, 1, tzinfo=UTC), datetime(2026, 11, 20, 2, tzinfo=UTC)
    stored(
        ledger,
        a_due_reward("TG1", FIVE_PM, ordered_at=late),
        a_due_reward("TG2", FIVE_PM, member_id="M2"),
        a_due_reward("TG3", FIVE_PM, ordered_at=early),
    )
    assert orders(index, the_hour(FIVE_PM)) == ["TG3", "TG1", "TG2"]


def test_reading_goes_on_after_a_row_even_when_that_row_is_gone(ports: tuple[Ledger, DueIndex]) -> None:
    ledger, index = ports
    one, two, three = (a_due_reward(name, FIVE_PM) for name in ("TG1", "TG2", "TG3"))
    stored(ledger, one, two, three)
    assert two.due
    rest = the_hour(FIVE_PM, after=two.due.sort)
    assert orders(index, rest) == ["TG3"]
    assert ledger.write_reward(two, two.change("granted", by="grant_points", at=FIVE_PM, due=None))
    assert orders(index, rest) == ["TG3"]


def test_a_row_says_its_reward_type(ports: tuple[Ledger, DueIndex]) -> None:
    ledger, index = ports
    stored(ledger, a_due_reward("TG1", FIVE_PM))
    assert [row.reward_type for part in index.parts(the_hour(FIVE_PM)) for row in part] == ["LoyaltyPoints"]


def test_other_kinds_shards_and_dates_are_other_partitions(ports: tuple[Ledger, DueIndex]) -> None:
    ledger, index = ports
    stored(ledger, a_due_reward("TG1", FIVE_PM))
    assert orders(index, replace(the_hour(FIVE_PM), kind="recycle")) == []
    assert orders(index, replace(the_hour(FIVE_PM), shard=1)) == []
    assert orders(index, replace(the_hour(FIVE_PM), date="2026-12-02")) == []


def test_identifiers_with_delimiters_in_them_can_be_gone_on_from(ports: tuple[Ledger, DueIndex]) -> None:
    ledger, index = ports
    odd = a_due_reward("TG", FIVE_PM, id=RewardId("1#", "~#TG", "28#343"))
    stored(ledger, odd)
    assert odd.due
    assert orders(index, the_hour(FIVE_PM)) == ["~#TG"]
    assert orders(index, the_hour(FIVE_PM, after=odd.due.sort)) == []


def test_pages_are_read_to_the_end(client: Any) -> None:
    stored(
        DynamoLedger(client, "ledger", DynamoQuota(client, "quota")),
        *(a_due_reward(f"TG{number}", FIVE_PM) for number in range(5)),
    )
    client.meta.events.register("provide-client-params.dynamodb.Query", lambda params, **_: params | {"Limit": 2})
    assert orders(DynamoDueIndex(client, "ledger"), the_hour(FIVE_PM)) == ["TG0", "TG1", "TG2", "TG3", "TG4"]


def test_an_empty_page_is_not_the_end(client: Any) -> None:
    before, reward = a_due_reward("TG0", FIVE_PM), a_due_reward("TG1", FIVE_PM)
    stored(DynamoLedger(client, "ledger", DynamoQuota(client, "quota")), reward)
    item = reward_item(before)
    position = {name: item[name] for name in ("Order", "Item", "BookingDateUTC", "BookingTimeUTC")}
    empty_pages = [{"Items": [], "LastEvaluatedKey": position}]
    client.meta.events.register(
        "after-call.dynamodb.Query", lambda parsed, **_: parsed.update(empty_pages.pop() if empty_pages else {})
    )
    assert orders(DynamoDueIndex(client, "ledger"), the_hour(FIVE_PM)) == ["TG1"]
    assert not empty_pages
