"""What every ledger promises, in memory and in DynamoDB."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws
from msgspec.structs import replace

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from rewards.ledger import Ledger
from rewards.order import Order, OrderId
from rewards.promotion import Quota
from rewards.quota import SHARDS, Limits
from rewards.reward import Due, Lock, Place, Reward, RewardId
from rewards.status import Status
from tests.builders import ORDERED_AT, a_paid_order, a_promotion, a_reward
from tests.fakes.ledger import MemoryLedger
from tests.fakes.tables import make_ledger_table, make_table

LIMITED = a_promotion(quota=Quota(total=100, per_member=2))


@pytest.fixture(params=["memory", "dynamo"])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger()
        return
    with mock_aws():
        client = boto3.client("dynamodb")
        make_ledger_table(client, "ledger")
        make_table(client, "quota", "Counted")
        yield DynamoLedger(client, "ledger", DynamoQuota(client, "quota"))


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


def in_shard_3(order_group: str = "TG1", **fields: Any) -> tuple[Order, Reward]:
    """An order, and its reward that holds a place of both counts."""
    place = Place(shard=3, of_member=True)
    return a_paid_order(order_group=order_group), a_reward(order_group=order_group, place=place, **fields)


def takes(ledger: Ledger, order: Order, row: Reward, *, shard: int = 7, member: int = 2) -> bool:
    return ledger.decide(None, order, [(None, row)], {"28343": Limits(shard, member)})


def used(ledger: Ledger) -> tuple[int, int]:
    """Places taken of shard 3, and by M1; of the other shards there are none."""
    shards, member = ledger.used(LIMITED, "M1")
    assert len(shards) == SHARDS
    assert not any(shards[:3] + shards[4:])
    return shards[3], member


def test_a_place_is_taken_with_the_row_that_holds_it_and_given_back_with_it(ledger: Ledger) -> None:
    order, row = in_shard_3()
    assert used(ledger) == (0, 0)
    assert takes(ledger, order, row)
    assert used(ledger) == (1, 1)
    granted = row.change("granted", by="grant_points", at=ORDERED_AT, status=Status.REWARD)
    assert ledger.write_reward(row, granted)
    assert used(ledger) == (1, 1)
    assert ledger.write_reward(granted, granted.change("cancelled", by="withdraw", at=ORDERED_AT, place=None))
    assert used(ledger) == (0, 0)


@pytest.mark.parametrize("limits", [{"shard": 1}, {"member": 1}])
def test_what_finds_its_shard_or_its_member_full_is_not_written_at_all(ledger: Ledger, limits: dict[str, int]) -> None:
    assert takes(ledger, *in_shard_3("TG1"))
    order, row = in_shard_3("TG2")
    assert not takes(ledger, order, row, **limits)
    assert ledger.order(order.id) is None
    assert ledger.reward(row.id) is None
    assert used(ledger) == (1, 1)


def test_the_same_again_takes_and_gives_back_once(ledger: Ledger) -> None:
    order, row = in_shard_3()
    assert takes(ledger, order, row, shard=1, member=1)
    assert takes(ledger, order, row, shard=1, member=1)
    assert used(ledger) == (1, 1)
    without = row.change("cancelled", by="withdraw", at=ORDERED_AT, place=None)
    assert ledger.write_reward(row, without)
    assert ledger.write_reward(row, without)
    assert used(ledger) == (0, 0)


def test_a_place_is_not_given_back_over_a_version_that_is_gone(ledger: Ledger) -> None:
    order, row = in_shard_3()
    assert takes(ledger, order, row)
    assert ledger.write_reward(row, row.change("paid", by="book", at=ORDERED_AT))
    assert not ledger.write_reward(row, row.change("not paid in time", by="expire", at=ORDERED_AT, place=None))
    assert used(ledger) == (1, 1)


def test_a_place_may_be_of_the_total_or_of_the_member_alone(ledger: Ledger) -> None:
    limits = {"28343": Limits(shard=1), "other": Limits(member=1)}
    of_total = a_reward(place=Place(shard=3))
    of_member = a_reward(promotion_id="other", place=Place(of_member=True))
    assert ledger.decide(None, a_paid_order(), [(None, of_total), (None, of_member)], limits)
    assert used(ledger) == (1, 0)
    assert ledger.used(a_promotion(promotion_id="other", quota=Quota(per_member=2)), "M1") == ((), 1)
    assert ledger.rewards(a_paid_order().id) == [of_total, of_member]
    assert ledger.write_reward(of_total, of_total.change("cancelled", by="withdraw", at=ORDERED_AT, place=None))
    assert used(ledger) == (0, 0)


def test_a_place_nobody_knows_the_limits_of_is_not_taken(ledger: Ledger) -> None:
    order, row = in_shard_3()
    with pytest.raises(KeyError):
        ledger.decide(None, order, [(None, row)])
