"""Sending on the way back, with the real adapters on moto; functions are only called."""

import io
import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
import time_machine
from moto import mock_aws

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from ops.replay import FailedAgainError, Replay
from ops.stack import Stack
from rewards.letters import TIMES_REDRIVEN, Letter
from rewards.replaying import NoWayBackError
from rewards.reward import Held
from tests.adapters.test_letter_file_contract import a_letter
from tests.builders import NOW, a_paid_order, a_reward
from tests.fakes.tables import make_ledger_table, make_table

SETTINGS = {
    "BUCKET_COUNT": "3",
    "START_HOUR": "0",
    "DISPATCH_PERIOD_MINUTES": "60",
    "SHARDS": "16",
    "RETRY_HOURS": "10,22",
    "RECYCLE_TIME": "10:30",
}
FUNCTION = "arn:aws:lambda:ap-northeast-1:123456789012:function:Rewards-publish"


class Functions:
    """A Lambda that answers what it is told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.answer: dict[str, Any] = {}
        self.body = b"null"

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803
        self.calls.append((FunctionName, json.loads(Payload)))
        return {"Payload": io.BytesIO(self.body), **self.answer}


class Deployed:
    """A stack of two queues, a ledger and a bus; `put` is what came to the bus."""

    def __init__(self) -> None:
        self.sqs, dynamodb = boto3.client("sqs"), boto3.client("dynamodb")
        self.urls = {name: self.sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("BookQueue", "Low")}
        make_ledger_table(dynamodb, "ledger")
        make_table(dynamodb, "quota", "Counted")
        boto3.client("events").create_event_bus(Name="orders")
        self.functions = Functions()
        self.ledger = DynamoLedger(dynamodb, "ledger", DynamoQuota(dynamodb, "quota"))
        stack = Stack(boto3.Session())
        stack.functions = self.functions  # type: ignore[assignment]
        stack.outputs = {
            "WorkQueueUrls": json.dumps([self.urls["BookQueue"]]),
            "TaskQueueUrls": json.dumps({"grant_points_low": self.urls["Low"]}),
            "LedgerTableName": "ledger",
            "QuotaTableName": "quota",
            "OrdersBusName": "orders",
            "TimeZone": "Asia/Taipei",
            "Settings": json.dumps(SETTINGS),
        }
        self.put: list[dict[str, Any]] = []
        stack.events.meta.events.register("provide-client-params.events.PutEvents", self._note)
        self._replay = Replay(stack, by="alice")

    def _note(self, params: dict[str, Any], **_: Any) -> None:
        self.put += params["Entries"]

    def replay(self, letter: Letter) -> bool:
        return self._replay(letter)

    def messages(self, queue: str) -> list[dict[str, Any]]:
        return self.sqs.receive_message(QueueUrl=self.urls[queue], MessageAttributeNames=["All"]).get("Messages", [])


@pytest.fixture
def deployed() -> Iterator[Deployed]:
    with mock_aws(), time_machine.travel(NOW, tick=False):
        yield Deployed()


def test_a_message_goes_into_its_queue_unaltered_with_its_count_beside_it(deployed: Deployed) -> None:
    body = '{"detail": "香片",\n "x": 1.50}'
    assert deployed.replay(a_letter(body=body, attributes={"sender": "shop", TIMES_REDRIVEN: "1"}))
    (message,) = deployed.messages("BookQueue")
    told = {name: value["StringValue"] for name, value in message["MessageAttributes"].items()}
    assert (message["Body"], told) == (body, {"sender": "shop", TIMES_REDRIVEN: "2"})


def parked(deployed: Deployed) -> Letter:
    row = a_reward(held=Held("refused", "no"), due=None)
    assert deployed.ledger.decide(None, a_paid_order(), [(None, row)])
    return a_letter(kind="refused", source="ledger", shop_id="1", order_group="TG20193021", promotion_id="28343")


def test_a_parked_reward_is_put_back_and_sent(deployed: Deployed) -> None:
    letter = parked(deployed)
    assert deployed.replay(letter)
    row = deployed.ledger.reward(a_reward().id)
    assert row
    assert (row.held, row.update_reason, row.redriven) == (None, "redriven by alice", 1)
    assert row.due
    (message,) = deployed.messages("Low")
    assert "TG20193021" in message["Body"]


def test_one_that_is_parked_no_more_is_left_as_it_is(deployed: Deployed) -> None:
    letter = parked(deployed)
    assert [deployed.replay(letter), deployed.replay(letter)] == [True, False]


def test_an_event_goes_onto_the_bus_as_its_sender_put_it(deployed: Deployed) -> None:
    event = {"detail-type": "OrderArchived", "source": "shop", "resources": ["a"], "detail": {"shop_id": "1"}}
    assert deployed.replay(a_letter(source="arn:aws:sqs:x:1:UnknownEvents", body=json.dumps(event)))
    (entry,) = deployed.put
    assert json.loads(entry.pop("Detail")) == event["detail"]
    assert entry == {
        "EventBusName": "orders",
        "Source": "shop",
        "DetailType": "OrderArchived",
        "Resources": ["a", f"{TIMES_REDRIVEN}/1"],
    }


def a_record_s_letter() -> Letter:
    return a_letter(source=FUNCTION, body='{"eventID": "e-1", "dynamodb": {}}')


def test_a_record_goes_to_its_reader(deployed: Deployed) -> None:
    deployed.functions.body = b'{"batchItemFailures": []}'
    assert deployed.replay(a_record_s_letter())
    assert deployed.functions.calls == [(FUNCTION, {"Records": [{"eventID": "e-1", "dynamodb": {}}]})]


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        ({"FunctionError": "Unhandled"}, b'{"errorMessage": "no table"}'),
        ({}, b'{"batchItemFailures": [{"itemIdentifier": "1"}]}'),
    ],
)
def test_what_fails_again_at_once_is_told(deployed: Deployed, answer: dict[str, Any], body: bytes) -> None:
    deployed.functions.answer, deployed.functions.body = answer, body
    with pytest.raises(FailedAgainError):
        deployed.replay(a_record_s_letter())


def test_what_has_no_way_back_is_told(deployed: Deployed) -> None:
    with pytest.raises(NoWayBackError):
        deployed.replay(a_letter(source="arn:aws:sqs:x:1:OfLastYear"))
