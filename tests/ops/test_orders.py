"""Orders as they are asked for: which one is meant, and its changes by time."""

import boto3
import pytest
import typer
from moto import mock_aws

from adapters.items import order_item, reward_item
from ops.orders import UnknownOrder, first_known, in_order, look_up, order_ids
from ops.stack import Stack
from ops.trouble import Trouble
from rewards.order import OrderId
from tests.builders import a_change, a_paid_order, a_reward
from tests.fakes.tables import make_ledger_table, make_table


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("1/TG1", [("1", "TG1")]),
        ("１/TG1 ", [("1", "TG1")]),
        ("1/TG/2026", [("1", "TG/2026"), ("1/TG", "2026")]),
        ("/1/TG", [("/1", "TG")]),
    ],
)
def test_an_order_is_named_by_shop_and_order_group(text: str, ids: list[tuple[str, str]]) -> None:
    assert order_ids(text) == [OrderId(*id) for id in ids]


def test_of_several_slashes_the_first_counts_that_makes_a_known_order() -> None:
    known = {("TW/1", "TG/2"), ("TW/1/TG", "2")}

    def look_up(id: OrderId) -> OrderId:
        if id not in known:
            raise UnknownOrder("/".join(id))
        return id

    assert first_known(order_ids("TW/1/TG/2"), look_up) == ("TW/1", "TG/2")
    with pytest.raises(UnknownOrder, match="TW/1/TG/3"):
        first_known(order_ids("TW/1/TG/3"), look_up)


class Deployed(Stack):
    """A stack that is made of tables only."""

    outputs = {"QuotaTableName": "quota", "LedgerTableName": "ledger", "PromotionsTableName": "promotions"}  # noqa: RUF012


def test_an_order_that_a_hand_has_garbled_is_trouble_and_not_taken_for_another() -> None:
    order, garbled = (
        a_paid_order(order_group="TG/1"),
        reward_item(a_reward(order_group="TG/1")) | {"Status": {"S": "Bogus"}},
    )
    with mock_aws():
        stack = Deployed(boto3.Session())
        make_ledger_table(stack.dynamodb, "ledger")
        make_table(stack.dynamodb, "promotions", "Shop", "Item")
        stack.dynamodb.put_item(TableName="ledger", Item=order_item(order))
        assert first_known(order_ids("1/TG/1"), lambda each: look_up(each, stack)).order == order
        stack.dynamodb.put_item(TableName="ledger", Item=garbled)
        with pytest.raises(Trouble, match=r"order 1/TG/1.* Invalid enum value 'Bogus' - at `\$.Status`"):
            first_known(order_ids("1/TG/1"), lambda each: look_up(each, stack))


@pytest.mark.parametrize("text", ["TG1", "/TG1", "1/", ""])
def test_what_names_no_order_is_misuse(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        order_ids(text)


def test_changes_of_several_rewards_are_told_by_time() -> None:
    changes = [a_change(1, 0), a_change(2, 9), a_change(1, 5, "P2")]
    assert in_order(changes) == [changes[0], changes[2], changes[1]]


def test_a_reward_s_changes_keep_their_order_though_a_later_one_took_its_time_earlier() -> None:
    first, second, third = a_change(1, 5), a_change(3, 2), a_change(4, 6)
    assert in_order([third, first, second]) == [first, second, third]
