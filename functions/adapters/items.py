"""Ledger rows as DynamoDB items, and back.

Attribute names are the fields' in Pascal case, but for the keys. What is absent is absent: no NULL and no "" is ever
written, so a sparse index stays sparse. Readers ignore attributes they do not know.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from rewards.errors import RewardsError, TooNew
from rewards.history import HistoryItem
from rewards.identifiers import join, split
from rewards.order import Order, OrderId
from rewards.reward import Due, Reward, RewardId

Item = dict[str, Any]
ROW_VERSION = 1

UNREADABLE = (LookupError, TypeError, ValueError, ArithmeticError, msgspec.MsgspecError, RewardsError)
"""What comes of reading an item that none of us wrote."""

_REWARD_FIELDS = [(field.name, field.encode_name, field.default) for field in msgspec.structs.fields(Reward)]
_reward_values = attrgetter(*(name for name, *_ in _REWARD_FIELDS))


def order_key(id: OrderId) -> Item:
    return {"Order": {"S": join(*id)}, "Item": {"S": "ORDER"}}


def reward_key(id: RewardId) -> Item:
    return {"Order": {"S": join(*id.order)}, "Item": {"S": join("REWARD", id.promotion_id)}}


def reward_id(key: Mapping[str, Any]) -> RewardId:
    """The identity in the keys of a reward or history item, or of an index row or stream record of one."""
    shop_id, order_group = split(key["Order"]["S"])
    _, promotion_id, *_ = split(key["Item"]["S"])
    return RewardId(shop_id, order_group, promotion_id)


def order_item(order: Order) -> Item:
    """An order with a member and a time stands in the sparse `member-index`."""
    item = order_key(order.id) | _attributes(order)
    if order.member_id and order.ordered_at:
        item["Member"] = {"S": join(order.id.shop_id, order.member_id)}
        item["OrderTime"] = {"S": msgspec.to_builtins(order.ordered_at)}
    return item


def order_of(item: Mapping[str, Any]) -> Order:
    return msgspec.convert(_fields(item) | {"Id": split(item["Order"]["S"])}, Order)


def reward_item(reward: Reward) -> Item:
    return reward_key(reward.id) | _attributes(reward) | _due_keys(reward.due)


def reward_of(item: Mapping[str, Any]) -> Reward:
    fields = _fields(item) | {"Id": reward_id(item)}
    if "BookingDateUTC" in item:
        fields["Due"] = Due(item["BookingDateUTC"]["S"], item["BookingTimeUTC"]["S"])
    return msgspec.convert(fields, Reward)


def history_item(history: HistoryItem) -> Item:
    """The version has a fixed width, so that the items sort in the order of the changes."""
    name = join("HISTORY", history.id.promotion_id, f"{history.version:08}")
    return {"Order": {"S": join(*history.id.order)}, "Item": {"S": name}} | _attributes(history)


def history_of(item: Mapping[str, Any]) -> HistoryItem:
    return msgspec.convert(_fields(item) | {"Id": reward_id(item)}, HistoryItem)


class Difference(NamedTuple):
    """What makes one item of another: attributes that are set, and names of those that go."""

    sets: Item
    removes: list[str]


def difference(before: Item, after: Item) -> Difference:
    sets = {name: value for name, value in after.items() if before.get(name) != value}
    return Difference(sets, [name for name in before if name not in after])


def reward_difference(before: Reward, after: Reward) -> Difference:
    """The same for their items, of which only those attributes are made that differ: most are carried over as they are.

    As in the whole item, what is None or the very default has no attribute.
    """
    sets, removes = Item(), list[str]()
    values = zip(_REWARD_FIELDS, _reward_values(before), _reward_values(after), strict=True)
    for (name, attribute_name, default), was, becomes in values:
        if was is becomes or was == becomes:
            continue
        if name == "due":
            sets |= _due_keys(becomes)
            removes += () if becomes else _due_keys(was)
        elif becomes is None or becomes is default:
            removes.append(attribute_name)
        else:
            sets[attribute_name] = attribute(msgspec.to_builtins(becomes))
    return Difference(sets, removes)


def update(change: Difference, read: Item) -> dict[str, Any]:
    """The arguments that make this change, on condition that the version is still the one `read`.

    The condition also keeps an update from creating half a row where there is none.
    """
    expression = "SET " + ", ".join(f"#{name} = :{name}" for name in change.sets)
    if change.removes:
        expression += " REMOVE " + ", ".join(f"#{name}" for name in change.removes)
    return {
        "UpdateExpression": expression,
        "ConditionExpression": "#Version = :read",
        "ExpressionAttributeNames": {f"#{name}": name for name in {*change.sets, *change.removes, "Version"}},
        "ExpressionAttributeValues": {f":{name}": value for name, value in change.sets.items()} | {":read": read},
    }


def attribute(value: object) -> Item:
    """A plain value as DynamoDB types it."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case dict():
            return {"M": {name: attribute(inner) for name, inner in value.items()}}
        case list() | tuple():
            return {"L": [attribute(inner) for inner in value]}
    raise TypeError(f"no DynamoDB type for {value!r}")


def plain(attribute: Mapping[str, Any]) -> Any:
    """A DynamoDB attribute as a plain value; numbers here are whole."""
    ((kind, value),) = attribute.items()
    match kind:
        case "S":  # as most are
            return value
        case "N":
            return int(value)
        case "M":
            return {name: plain(inner) for name, inner in value.items()}
        case "L":
            return [plain(inner) for inner in value]
    return value


def _due_keys(due: Due | None) -> Item:
    return {"BookingDateUTC": {"S": due.partition}, "BookingTimeUTC": {"S": due.sort}} if due else {}


def _attributes(row: Order | Reward | HistoryItem) -> Item:
    fields = msgspec.to_builtins(row) | {"v": ROW_VERSION}  # a default, which would be left out
    return {name: attribute(value) for name, value in fields.items() if name not in ("Id", "Due") and value is not None}


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: plain(value) for name, value in item.items()}
    if fields["v"] > ROW_VERSION:
        raise TooNew(fields["v"], ROW_VERSION)
    return fields
