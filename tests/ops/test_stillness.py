"""Waiting until all is worked off: how long, and for what."""

from typing import Any

import pytest

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


def wait_for(queues: Queues) -> None:
    stack: Any = AStack(queues)
    wait_until_still(stack, clock=queues.monotonic, sleep=queues.sleep)


def test_patience_outlasts_the_longest_hiding_of_a_message() -> None:
    queues = Queues(hidden_seconds=1_800)
    wait_for(queues)
    assert queues.now >= 1_800


def test_patience_has_an_end() -> None:
    with pytest.raises(Trouble, match="After 2100 s the stack is still at work: 1 message in dispatch"):
        wait_for(Queues(hidden_seconds=10_000))
