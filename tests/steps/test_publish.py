"""Publish: the real handler, on the ledger's table and the rewards bus."""

import json
from datetime import timedelta
from typing import Any

import pytest

from adapters.items import order_item, reward_item
from bootstrap import clients
from bootstrap.publishing import history
from rewards.history import HistoryItem
from rewards.reward import Held, Lock, Reward
from rewards.status import Status
from steps.publish import handler
from tests.builders import ORDERED_AT, a_reward, an_order
from tests.steps.conftest import Cloud

LATER = ORDERED_AT + timedelta(days=7)
BOOKED = a_reward()
CLAIMED = BOOKED.with_lock(Lock(token="mine", until=LATER, action="grant", key="k", amount=50))
GRANTED = CLAIMED.change("granted", by="grant_points", at=LATER, status=Status.REWARD, lock=None)
RECYCLED = GRANTED.change("recycled", by="recycle_points", at=LATER, recycle_points=30, shortfall=20)
LIFE = [BOOKED, CLAIMED, GRANTED, RECYCLED]


def record(before: Reward | None, after: Reward | None, number: int) -> dict[str, Any]:
    """A stream's record as Lambda passes it on."""
    images = {"OldImage": before and reward_item(before), "NewImage": after and reward_item(after)}
    keys = {name: reward_item(BOOKED)[name] for name in ("Order", "Item")}
    told = {name: image for name, image in images.items() if image}
    return {"eventName": "MODIFY", "dynamodb": {"Keys": keys, **told, "SequenceNumber": f"{number:021}"}}


def life() -> dict[str, Any]:
    steps = zip([None, *LIFE], LIFE, strict=False)
    return {"Records": [record(before, after, number) for number, (before, after) in enumerate(steps)]}


def items() -> list[HistoryItem]:
    return history().of_order(BOOKED.id.order)


def chain() -> list[tuple[int | None, int]]:
    return [(item.previous, item.version) for item in items()]


@pytest.fixture
def told(cloud: Cloud) -> list[tuple[str, int]]:
    """Name and version of every event that went out."""
    events: list[tuple[str, int]] = []

    def follow(params: dict[str, Any], **_: object) -> None:
        events.extend((entry["DetailType"], json.loads(entry["Detail"])["version"]) for entry in params["Entries"])

    clients.events().meta.events.register("provide-client-params.events.PutEvents", follow)
    return events


EVENTS = [("RewardBooked", 1), ("RewardGranted", 3), ("RewardRecycled", 4), ("RewardShortfall", 4)]


def test_every_change_becomes_history_and_events(cloud: Cloud, told: list[tuple[str, int]]) -> None:
    assert handler(life(), cloud.context()) == {"batchItemFailures": []}
    assert [(item.before, item.after, item.reason) for item in items()] == [
        (None, Status.WAIT, "paid"),
        (Status.WAIT, Status.REWARD, "granted"),
        (Status.REWARD, Status.REWARD, "recycled"),
    ]
    assert chain() == [(None, 1), (1, 3), (3, 4)]
    assert told == EVENTS


def test_the_same_batch_again_adds_no_history_and_tells_the_same_events(
    cloud: Cloud, told: list[tuple[str, int]]
) -> None:
    for _ in range(2):
        handler(life(), cloud.context())
    assert chain() == [(None, 1), (1, 3), (3, 4)]
    assert told == EVENTS * 2


def test_all_before_a_poisoned_record_is_told_and_the_rest_waits(cloud: Cloud, told: list[tuple[str, int]]) -> None:
    event = life()
    event["Records"][2]["dynamodb"]["NewImage"] = {"Order": {"S": "1#TG"}, "v": {"N": "1"}}
    assert handler(event, cloud.context()) == {"batchItemFailures": [{"itemIdentifier": f"{2:021}"}]}
    assert chain() == [(None, 1)]
    assert told == EVENTS[:1]


def test_a_batch_that_could_not_be_told_comes_back_whole(
    cloud: Cloud, told: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setenv("LEDGER_TABLE", "gone")
        assert handler(life(), cloud.context()) == {"batchItemFailures": [{"itemIdentifier": f"{0:021}"}]}
    assert told == []
    history.cache_clear()
    assert handler(life(), cloud.context()) == {"batchItemFailures": []}
    assert told == EVENTS


def test_only_events_that_are_asked_for_go_out(
    cloud: Cloud, told: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLISHED_EVENTS", "RewardGranted")
    handler(life(), cloud.context())
    assert told == [("RewardGranted", 3)]


def test_rows_that_are_gone_orders_and_history_tell_nothing(cloud: Cloud, told: list[tuple[str, int]]) -> None:
    gone, order, item = record(RECYCLED, None, 1), record(None, BOOKED, 2), record(None, BOOKED, 3)
    order["dynamodb"] |= {"Keys": {"Item": {"S": "ORDER"}}, "NewImage": order_item(an_order())}
    item["dynamodb"]["Keys"] = {"Item": {"S": "HISTORY#28343#00000001"}}
    assert handler({"Records": [gone, order, item]}, cloud.context()) == {"batchItemFailures": []}
    assert (items(), told) == ([], [])


def test_a_garbled_row_that_a_hand_mends_tells_nothing_as_its_change_was_told(
    cloud: Cloud, told: list[tuple[str, int]]
) -> None:
    mended, changed = record(BOOKED, BOOKED, 1), record(CLAIMED, GRANTED, 2)
    for each in mended, changed:
        each["dynamodb"]["OldImage"]["Status"] = {"S": "Bogus"}
    answer = handler({"Records": [mended, changed]}, cloud.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": f"{2:021}"}]}
    assert (items(), told) == ([], [])


def test_a_row_that_is_parked_gets_a_letter_however_often_it_is_told_the_same(cloud: Cloud) -> None:
    parked = CLAIMED.change("refused", by="grant_points", at=LATER, held=Held("refused", "closed"), lock=None, due=None)
    for _ in range(2):
        handler({"Records": [record(CLAIMED, parked, 1)]}, cloud.context())
    first, second = cloud.sent("LETTERS_QUEUE")
    assert first == second
    assert (first["kind"], first["error"], first["order_group"]) == ("refused", "closed", BOOKED.id.order_group)


def test_a_letter_that_cannot_be_sent_brings_its_batch_back(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    parked = CLAIMED.change("refused", by="grant_points", at=LATER, held=Held("refused", "closed"), lock=None, due=None)
    monkeypatch.setenv("LETTERS_QUEUE", "https://sqs.ap-northeast-1.amazonaws.com/123456789012/gone")
    answer = handler({"Records": [record(CLAIMED, parked, 1)]}, cloud.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": f"{1:021}"}]}
