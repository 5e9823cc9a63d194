"""Waiting until all is worked off: how long, and for what."""

from typing import Any

import pytest

from ops import stillness
from ops.stillness import wait_until_still
from ops.trouble import Trouble


class Queues:
    """Two queues: one hides a message of a dead worker for 1,800 s, then it is worked off."""

    def __init__(self, hidden_seconds: float) -> None:
        self.now = 0.0
        self.hidden_seconds = hidden_seconds

    def get_queue_attributes(self, QueueUrl: str, AttributeNames: list[str]) -> dict[str, Any]:  # noqa: N803
        counted = dict.fromkeys(AttributeNames, "0")
        if "VisibilityTimeout" in counted:
            return {"Attributes": {"VisibilityTimeout": {"dispatch": "1800", "letters": "30"}[QueueUrl]}}
        if QueueUrl == "dispatch" and self.now < self.hidden_seconds:
            counted["ApproximateNumberOfMessagesNotVisible"] = "1"
        return {"Attributes": counted}

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += 100


class AStack:
    embedded = False

    def __init__(self, queues: Queues) -> None:
        self.sqs = queues
        self.queues = ["dispatch", "letters"]

    def __getitem__(self, output: str) -> str:
        return "timers"


def a_stack(hidden_seconds: float, monkeypatch: pytest.MonkeyPatch) -> Any:
    queues = Queues(hidden_seconds)
    monkeypatch.setattr(stillness, "time", queues)
    return AStack(queues)


def test_patience_outlasts_the_longest_hiding_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = a_stack(1_800, monkeypatch)
    wait_until_still(stack)
    assert stack.sqs.now >= 1_800


def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Trouble, match="After 2100 s the stack is still at work: 1 messages in dispatch"):
        wait_until_still(a_stack(10_000, monkeypatch))
