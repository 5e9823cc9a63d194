"""The rewards bus: every event goes out, whatever part of a call fails."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from moto import mock_aws

from adapters.bus import EventBridgeBus, NotPublishedError
from rewards.reward_events import Detail, RewardEvent
from rewards.status import Status
from tests.fakes.faults import change_answer

Calls = list[list[dict[str, Any]]]


def an_event(number: int) -> RewardEvent:
    detail = Detail(
        shop_id="1",
        order_group=f"TG{number}",
        promotion_id="28343",
        member_id="M1",
        version=3,
        status=Status.REWARD,
        points=50,
        recycle_points=0,
        shortfall=0,
        reason="granted",
    )
    return RewardEvent("RewardGranted", datetime(2026, 11, 9, 18, 1, tzinfo=UTC), detail)


@pytest.fixture
def client() -> Iterator[BaseClient]:
    with mock_aws():
        client = boto3.client("events")
        client.create_event_bus(Name="rewards-bus")
        yield client


@pytest.fixture
def bus(client: BaseClient) -> EventBridgeBus:
    return EventBridgeBus(client, "rewards-bus")


@pytest.fixture
def calls(client: BaseClient) -> Calls:
    """The entries of every call."""
    made: Calls = []
    client.meta.events.register("provide-client-params.*.PutEvents", lambda params, **_: made.append(params["Entries"]))
    return made


def orders(calls: Calls) -> list[list[str]]:
    return [[json.loads(entry["Detail"])["order_group"] for entry in call] for call in calls]


def test_an_event_goes_out_with_its_name_time_and_detail(bus: EventBridgeBus, calls: Calls) -> None:
    bus.publish([an_event(1)])
    ((entry,),) = calls
    detail = json.loads(entry.pop("Detail"))
    assert entry == {
        "EventBusName": "rewards-bus",
        "Source": "rewards",
        "DetailType": "RewardGranted",
        "Time": datetime(2026, 11, 9, 18, 1, tzinfo=UTC),
    }
    assert detail == {
        "shop_id": "1",
        "order_group": "TG1",
        "promotion_id": "28343",
        "member_id": "M1",
        "version": 3,
        "status": "Reward",
        "points": 50,
        "recycle_points": 0,
        "shortfall": 0,
        "reason": "granted",
        "v": 1,
    }


def test_more_than_a_call_takes_go_out_in_their_order(bus: EventBridgeBus, calls: Calls) -> None:
    bus.publish([an_event(number) for number in range(25)])
    assert [len(call) for call in calls] == [10, 10, 5]
    assert list(chain(*orders(calls))) == [f"TG{number}" for number in range(25)]


def test_only_what_failed_is_sent_again(bus: EventBridgeBus, client: BaseClient, calls: Calls) -> None:
    change_answer(client, "PutEvents", Entries=[{"EventId": "1"}, {"ErrorCode": "InternalFailure"}, {"EventId": "3"}])
    bus.publish([an_event(number) for number in range(3)])
    assert orders(calls) == [["TG0", "TG1", "TG2"], ["TG1"]]


def test_a_bus_that_takes_nothing_is_told_of(bus: EventBridgeBus, client: BaseClient) -> None:
    change_answer(client, "PutEvents", times=3, Entries=[{"ErrorCode": "ThrottlingException"}])
    with pytest.raises(NotPublishedError, match="1 events: ThrottlingException"):
        bus.publish([an_event(1)])


def test_nothing_to_tell_makes_no_call(bus: EventBridgeBus, calls: Calls) -> None:
    bus.publish([])
    assert calls == []
