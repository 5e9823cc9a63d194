"""What every ledger promises, in memory and in DynamoDB."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws
from msgspec.structs import replace

from adapters.ledger import DynamoLedger
from rewards.ledger import Ledger
from rewards.order import OrderId
from rewards.reward import Due, Lock, RewardId
from tests.builders import ORDERED_AT, a_paid_order, a_reward
from tests.fakes.ledger import MemoryLedger
from tests.fakes.tables import make_ledger_table


@pytest.fixture(params=["memory", "dynamo"])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger()
        return
    with mock_aws():
        client = boto3.client("dynamodb")
        make_ledger_table(client, "ledger")
        yield DynamoLedger(client, "ledger")


def booked(ledger: Ledger) -> None:
    assert ledger.decide(None, a_paid_order(), [(None, a_reward())])


def test_what_is_decided_reads_back_as_it_was_written(ledger: Ledger) -> None:
    order, reward = a_paid_order(), a_reward()
    assert ledger.decide(None, order, [(None, reward)])
    assert ledger.order(order.id) == order
    assert ledger.reward(reward.id) == reward
    assert ledger.rewards(order.id) == [reward]


def test_what_was_never_written_is_absent(ledger: Ledger) -> None:
    assert ledger.order(OrderId("1", "nobody")) is None
    assert ledger.reward(RewardId("1", "nobody", "28343")) is None
    assert ledger.rewards(OrderId("1", "nobody")) == []


def test_a_decision_is_written_whole_or_not_at_all(ledger: Ledger) -> None:
    booked(ledger)
    order, taken, free = a_paid_order(), a_reward(), a_reward(id=RewardId("1", "TG20193021", "other"))
    paid_otherwise = replace(order, paid_by="another event", version=order.version + 1)
    assert not ledger.decide(order, paid_otherwise, [(None, replace(taken, points=1)), (None, free)])
    assert ledger.order(order.id) == order
    assert ledger.reward(free.id) is None


def test_a_decision_over_a_version_that_is_gone_changes_nothing(ledger: Ledger) -> None:
    order = a_paid_order()
    assert ledger.write_order(None, order)
    newer = replace(order, decisions={"28343": "matched"}, version=order.version + 1)
    assert ledger.write_order(order, newer)
    assert not ledger.decide(order, replace(newer, decisions={}), [(None, a_reward())])
    assert ledger.rewards(order.id) == []


def test_a_write_over_another_version_changes_nothing(ledger: Ledger) -> None:
    booked(ledger)
    row = a_reward()
    lowered = row.change("lowered", by="withdraw", at=ORDERED_AT, points=1)
    assert ledger.write_reward(row, lowered)
    assert not ledger.write_reward(row, row.change("lowered otherwise", by="withdraw", at=ORDERED_AT, points=2))
    assert ledger.reward(row.id) == lowered


def test_the_same_write_again_counts_as_done_since_its_reply_may_be_lost(ledger: Ledger) -> None:
    booked(ledger)
    row = a_reward()
    lowered = row.change("lowered", by="withdraw", at=ORDERED_AT, points=1)
    assert ledger.write_reward(row, lowered)
    assert ledger.write_reward(row, lowered)
    assert ledger.decide(None, a_paid_order(), [(None, a_reward())])


def test_a_row_that_does_not_exist_is_never_written_by_half(ledger: Ledger) -> None:
    row = a_reward()
    assert not ledger.write_reward(row, row.change("granted", by="grant_points", at=ORDERED_AT))
    assert ledger.reward(row.id) is None


def test_of_two_claims_one_wins(ledger: Ledger) -> None:
    booked(ledger)
    row = a_reward()
    mine = Lock(token="mine", until=ORDERED_AT, action="grant", key="k", amount=50)
    assert ledger.write_reward(row, row.with_lock(mine))
    assert not ledger.write_reward(row, row.with_lock(replace(mine, token="theirs")))


def test_due_keys_and_lock_go_when_the_row_is_settled(ledger: Ledger) -> None:
    lock = Lock(token="mine", until=ORDERED_AT, action="grant", key="k", amount=50)
    row = a_reward(lock=lock, due=Due("reward#2026-11-09#07", "2026-11-09T18:00Z#1#M1#28343"))
    assert ledger.decide(None, a_paid_order(), [(None, row)])
    settled = row.change("granted", by="grant_points", at=ORDERED_AT, lock=None, due=None)
    assert ledger.write_reward(row, settled)
    assert ledger.reward(row.id) == settled


def test_identifiers_with_delimiters_in_them_stay_apart(ledger: Ledger) -> None:
    one, other = OrderId("1", "A#B"), OrderId("1#A", "B")
    assert ledger.write_order(None, a_paid_order(id=one))
    assert ledger.order(other) is None
    stored = ledger.order(one)
    assert stored
    assert stored.id == one
