"""Occupy: for now, its events are checked and acknowledged."""

from steps.occupy import handler
from tests.steps.conftest import Cloud
from tests.steps.orders import an_event


def test_its_event_is_acknowledged(cloud: Cloud) -> None:
    assert handler(cloud.deliver(an_event("OrderPlaced")), cloud.context()) == {"batchItemFailures": []}
    assert cloud.sent("LETTERS_QUEUE") == []


def test_one_that_can_never_be_right_is_parked(cloud: Cloud) -> None:
    event = cloud.deliver(an_event("OrderPlaced", occurred_at="yesterday"))
    assert handler(event, cloud.context()) == {"batchItemFailures": []}
    (letter,) = cloud.sent("LETTERS_QUEUE")
    assert "occurred_at: 'yesterday' is not a time with an offset" in letter["error"]
