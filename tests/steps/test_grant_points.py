"""Grant points: the real handler with the built-in wallet."""

import json
from datetime import timedelta

import pytest

from rewards.order import OrderId
from rewards.provider import Member
from rewards.reward import RewardId
from rewards.status import Status
from steps.book import handler as book
from steps.grant_points import handler
from steps.withdraw import handler as withdraw
from tests.builders import ORDERED_AT, a_promotion
from tests.steps.conftest import Cloud
from tests.steps.due import GROUP, book_others
from tests.steps.orders import ALL_RETURNED, PAID

ORDER = OrderId("1", "TG20193021")
MEMBER = Member("1", "0012345")
TASK = '{"groups":[{"shop_id":"1","member_id":"0012345","promotion_id":"28343","orders":["TG20193021"]}]}'
UNKNOWN = '{"groups":[{"shop_id":"1","member_id":"0012345","promotion_id":"28343","orders":["nobody"]}]}'


@pytest.fixture
def due(cloud: Cloud) -> Cloud:
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(ORDERED_AT + timedelta(days=8))
    return cloud


def test_a_due_reward_is_granted_once_however_often_its_message_comes(due: Cloud) -> None:
    for _ in range(2):
        assert handler(due.deliver(TASK, TASK), due.context()) == {"batchItemFailures": []}
    (row,) = due.ledger.rewards(ORDER)
    assert (row.status, row.is_reward, row.due, row.lock) == (Status.REWARD, True, None, None)
    assert due.wallet.account(MEMBER).balance == 79


def test_a_message_before_the_booking_time_grants_nothing(due: Cloud) -> None:
    due.travel(ORDERED_AT)
    handler(due.deliver(TASK), due.context())
    (row,) = due.ledger.rewards(ORDER)
    assert row.status is Status.WAIT
    assert due.wallet.account(MEMBER).balance == 0


def test_an_order_returned_between_dispatch_and_grant_earns_nothing(due: Cloud) -> None:
    withdraw(due.deliver(ALL_RETURNED), due.context())
    handler(due.deliver(TASK), due.context())
    assert due.wallet.account(MEMBER).balance == 0


def test_a_poison_task_is_parked_and_the_rest_of_its_batch_is_granted(due: Cloud) -> None:
    assert handler(due.deliver("no json", UNKNOWN, TASK), due.context()) == {"batchItemFailures": []}
    assert due.wallet.account(MEMBER).balance == 79
    (letter,) = due.sent("LETTERS_QUEUE")
    assert (letter["kind"], letter["body"]) == ("invalid", "no json")


def test_sixty_rewards_in_ten_messages_are_granted_together_and_poison_costs_only_itself(
    cloud_of_batches: Cloud,
) -> None:
    cloud = cloud_of_batches
    cloud.promotions.put(a_promotion())
    book_others(cloud, orders=60)
    cloud.travel(ORDERED_AT + timedelta(days=8))
    orders = [f"TG{number}" for number in range(60)]
    tasks = [json.dumps({"groups": [GROUP | {"orders": orders[at : at + 7]}], "v": 1}) for at in range(0, 60, 7)]
    for _ in range(2):
        answer = handler(cloud.deliver(*tasks[:4], "no json", *tasks[4:]), cloud.context())
        assert answer == {"batchItemFailures": []}
        assert len(cloud.wallet.account(MEMBER).entries) == 60
        assert cloud.wallet.account(MEMBER).balance == 60 * 79
    rows = [cloud.ledger.reward(RewardId("1", order, "28343")) for order in orders]
    assert {(row.status, row.due, row.lock, row.version) for row in rows if row} == {(Status.REWARD, None, None, 3)}
    assert [letter["body"] for letter in cloud.sent("LETTERS_QUEUE")] == ["no json", "no json"]
