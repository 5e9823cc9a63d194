"""Every letter finds its way back, with its body as it was and the count of its ways beside it."""

import json

import msgspec
import pytest

from rewards.given_up import letter_in, parked
from rewards.history import Change
from rewards.letters import TIMES_REDRIVEN, Letter
from rewards.parking import letter_of
from rewards.replaying import NoWayBackError, ToBus, ToFunction, ToQueue, ToRow, WayBack, way_back
from rewards.reward import Held
from tests.builders import NOW, ORDERED_AT, a_reward
from tests.rewards.test_given_up import AWS, BOOK_QUEUE, PAID, a_message, failed_call

QUEUES = {"Rewards-BookQueue", "Rewards-WithdrawQueue"}
PLAN = AWS.format("lambda", "function:Rewards-plan")


def back(letter: Letter) -> WayBack:
    return way_back(letter, QUEUES)


def test_what_a_step_gave_up_goes_into_its_queue_unaltered() -> None:
    message = a_message(queue=BOOK_QUEUE, attributes={"sender": "shop"})
    letter = parked(message, "exhausted", RuntimeError("no table"), step="book", now=NOW)
    assert back(letter) == ToQueue("Rewards-BookQueue", PAID, {"sender": "shop", TIMES_REDRIVEN: "1"})


@pytest.mark.parametrize("body", [PAID, "", "no JSON", '{"detail-type": 1}'])
def test_what_sqs_moved_goes_where_it_was_first_sent(body: str) -> None:
    assert back(letter_in(a_message(body), now=NOW)) == ToQueue("Rewards-BookQueue", body, {TIMES_REDRIVEN: "1"})


def test_given_up_again_it_says_how_often_and_counts_on() -> None:
    letter = parked(a_message(), "exhausted", RuntimeError("no table"), step="book", now=NOW)
    for times in (1, 2, 3):
        way = back(letter)
        assert isinstance(way, ToQueue)
        letter = letter_in(a_message(way.body, attributes=way.attributes), now=NOW)
        assert letter.times_redriven == times


def undelivered(target: str, body: str) -> Letter:
    told = {"RULE_ARN": AWS.format("events", "rule/bus/r"), "TARGET_ARN": target, "ERROR_CODE": "THROTTLING"}
    return letter_in(a_message(body, attributes=told, attempts=1), now=NOW)


def test_what_a_rule_could_not_deliver_goes_to_the_queue_it_was_for_without_the_rule_s_own_words() -> None:
    letter = undelivered(BOOK_QUEUE, PAID)
    assert letter.step == "Rewards-BookQueue"
    way = back(letter)
    assert way == ToQueue("Rewards-BookQueue", PAID, {TIMES_REDRIVEN: "1"})
    again = letter_in(a_message(way.body, attributes=way.attributes), now=NOW)
    assert (again.kind, again.error) == ("crashed", None), "it did arrive this time"


def test_what_a_schedule_could_not_deliver_is_the_function_s_event() -> None:
    event = '{"kind":"reward","execute_time":"2026-11-09T18:01:00Z"}'
    assert back(undelivered(PLAN, event)) == ToFunction(PLAN, msgspec.Raw(event.encode()))


def test_an_asynchronous_call_is_made_again_with_the_event_that_lambda_wrapped() -> None:
    way = back(letter_in(a_message(failed_call(), source=AWS.format("sqs", "FailedPlans")), now=NOW))
    assert isinstance(way, ToFunction)
    assert way.arn == PLAN, "as it is now, not the version that failed"
    assert json.loads(bytes(way.event)) == {"execute_time": "2026-11-09T18:01:00Z"}


def test_a_record_of_a_stream_goes_to_its_reader_as_a_batch_of_one() -> None:
    record = '{"eventID":"e-1","dynamodb":{"Keys":{"Order":{"S":"1#TG1"}},"ApproximateCreationDateTime":1.50}}'
    letter = Letter(
        id="e-1", kind="exhausted", step="publish", source=AWS.format("lambda", "function:Rewards-publish"),
        body=record, attempts=11, first_failed_at=ORDERED_AT, failed_at=NOW, service_version="0",
    )  # fmt: skip
    way = back(letter)
    assert isinstance(way, ToFunction)
    assert bytes(way.event).decode() == f'{{"Records":[{record}]}}'


def unknown(resources: list[str]) -> Letter:
    event = {"detail-type": "OrderArchived", "source": "shop", "resources": resources, "detail": {"shop_id": "1"}}
    source = AWS.format("sqs", "UnknownEvents")
    return letter_in(a_message(json.dumps(event), queue=source, source=source), now=NOW)


def test_an_event_nobody_took_goes_onto_the_bus_again_and_counts_among_its_resources() -> None:
    letter = unknown(["arn:of:the:shop"])
    for times in (1, 2):
        way = back(letter)
        assert isinstance(way, ToBus)
        assert way.event["detail"] == {"shop_id": "1"}
        assert way.resources == ["arn:of:the:shop", f"{TIMES_REDRIVEN}/{times}"]
        letter = unknown(way.resources)
        assert letter.times_redriven == times


@pytest.mark.parametrize("resource", [f"{TIMES_REDRIVEN}/many", f"{TIMES_REDRIVEN}/", f"{TIMES_REDRIVEN}/{'9' * 5000}"])
def test_a_sender_s_own_resources_are_not_taken_for_the_count(resource: str) -> None:
    assert unknown([resource]).times_redriven == 0


def test_a_parked_reward_goes_back_by_its_row() -> None:
    before = a_reward()
    after = before.change("refused", by="grant_points", at=NOW, held=Held("refused", "no"), due=None)
    letter = letter_of(Change(before, after))
    assert letter
    assert back(letter) == ToRow(before.id)


def test_what_came_from_nowhere_this_stack_knows_has_no_way_back() -> None:
    gone = AWS.format("sqs", "Rewards-OfLastYear")
    with pytest.raises(NoWayBackError, match="Rewards-OfLastYear"):
        back(letter_in(a_message("{}", queue=gone, source=gone), now=NOW))
