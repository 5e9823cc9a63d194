"""What queues of tasks and of windows promise, in memory and in SQS."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import boto3
import pytest
from moto import mock_aws

from adapters.outlets import UNDER_WAY_MOST, SqsOutlet
from adapters.queues import NotSent, SqsTaskQueue, SqsWindowQueue
from rewards.packing import Outlet
from rewards.sweeping import MeasuredQueue
from rewards.tasks import Delayed, Group, ShardWindow, Task, parse_task, parse_window
from tests.fakes.queues import MemoryQueue

WINDOW = ShardWindow("reward", "2026-12-01", 7, "2026-12-01T16:00Z", "2026-12-01T17:00Z")


class SqsAtHand:
    """A queue in moto, and what stands in it."""

    def __init__(self) -> None:
        self.client: Any = boto3.client("sqs")
        self.url = self.client.create_queue(QueueName="work")["QueueUrl"]
        self.calls: list[list[dict[str, Any]]] = []
        self.client.meta.events.register("provide-client-params.sqs.SendMessageBatch", self._note)

    def _note(self, params: dict[str, Any], **_: Any) -> None:
        self.calls.append(params["Entries"])

    def bodies(self) -> list[str]:
        found = []
        while messages := self.client.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10).get("Messages"):
            found += [message["Body"] for message in messages]
        return found

    def answer(self, *failures: list[dict[str, Any]]) -> None:
        """Let the next calls fail for these entries: they are told, and not taken."""
        left = list(failures)

        def fail(parsed: dict[str, Any], **_: Any) -> None:
            if left:
                parsed["Failed"] = left.pop(0)

        self.client.meta.events.register("after-call.sqs.SendMessageBatch", fail)


@pytest.fixture
def sqs() -> Iterator[SqsAtHand]:
    with mock_aws():
        yield SqsAtHand()


@pytest.fixture(params=["memory", "sqs"])
def tasks(request: pytest.FixtureRequest) -> MeasuredQueue:
    if request.param == "memory":
        return MemoryQueue[Task]()
    sqs = request.getfixturevalue("sqs")
    return SqsTaskQueue(sqs.client, sqs.url)


def a_task(number: int = 0) -> Task:
    return Task(groups=(Group("1", "M1", "28343", (f"TG{number}",)),))


def failed(id: int, *, sender_fault: bool = False) -> dict[str, Any]:
    return {"Id": str(id), "SenderFault": sender_fault, "Code": "InternalError", "Message": "try again"}


@pytest.fixture(params=["memory", "sqs"])
def outlet(request: pytest.FixtureRequest) -> Iterator[Outlet]:
    if request.param == "memory":
        yield MemoryQueue[Task]()
        return
    sqs = request.getfixturevalue("sqs")
    with ThreadPoolExecutor(4) as threads:
        yield SqsOutlet(sqs.client, sqs.url, threads)


class Idle(Executor):
    """A thread that does nothing until somebody waits for it."""

    def __init__(self) -> None:
        self.under_way = 0

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        executor, result = self, Future[Any].result

        class Waiting(Future[Any]):
            def result(self, timeout: float | None = None) -> Any:
                executor.under_way -= 1
                try:
                    self.set_result(call(*arguments))
                except Exception as error:
                    self.set_exception(error)
                return result(self)

        self.under_way += 1
        return Waiting()


def test_what_an_outlet_was_given_stands_in_the_queue_when_it_is_flushed(outlet: Any) -> None:
    for each in range(0, 230, 10):
        outlet.send([a_task(number) for number in range(each, each + 10)])
    outlet.flush()
    outlet.flush()
    assert outlet.depth() == 230


def test_an_outlet_has_so_many_batches_under_way_and_no_more(sqs: SqsAtHand) -> None:
    threads = Idle()
    outlet = SqsOutlet(sqs.client, sqs.url, threads)
    for number in range(20):
        outlet.send([a_task(number)])
        assert threads.under_way <= UNDER_WAY_MOST
    assert len(sqs.calls) == 20 - UNDER_WAY_MOST
    outlet.flush()
    assert threads.under_way == 0
    assert len(sqs.calls) == 20


def test_what_a_thread_could_not_send_is_told_when_the_outlet_is_flushed(sqs: SqsAtHand) -> None:
    sqs.answer([failed(0, sender_fault=True)])
    outlet = SqsOutlet(sqs.client, sqs.url, Idle())
    outlet.send([a_task()])
    with pytest.raises(NotSent):
        outlet.flush()


def test_what_a_thread_could_not_send_is_told_by_the_send_that_waits_for_it(sqs: SqsAtHand) -> None:
    sqs.answer([failed(0, sender_fault=True)])
    outlet = SqsOutlet(sqs.client, sqs.url, Idle())
    for number in range(UNDER_WAY_MOST):
        outlet.send([a_task(number)])
    with pytest.raises(NotSent):
        outlet.send([a_task()])


@pytest.mark.parametrize("number", [0, 1, 10, 23])
def test_all_that_is_sent_stands_in_the_queue(tasks: MeasuredQueue, number: int) -> None:
    tasks.send([a_task(each) for each in range(number)])
    assert tasks.depth() == number


def test_messages_read_back_as_they_were_sent_ten_to_a_call(sqs: SqsAtHand) -> None:
    sent = [a_task(number) for number in range(23)]
    SqsTaskQueue(sqs.client, sqs.url).send(sent)
    assert [len(call) for call in sqs.calls] == [10, 10, 3]
    assert [parse_task(body) for body in sqs.bodies()] == sent


def test_a_call_stays_under_a_mebibyte(sqs: SqsAtHand) -> None:
    large = [Task(groups=(Group("1", "M1", "28343", ("x" * 200_000,)),)) for _ in range(7)]
    SqsTaskQueue(sqs.client, sqs.url).send(large)
    assert [len(call) for call in sqs.calls] == [5, 2]


def test_entries_that_failed_are_sent_again_and_no_others(sqs: SqsAtHand) -> None:
    sqs.answer([failed(1), failed(3)], [failed(3)])
    SqsTaskQueue(sqs.client, sqs.url).send([a_task(number) for number in range(5)])
    assert [[entry["Id"] for entry in call] for call in sqs.calls] == [["0", "1", "2", "3", "4"], ["1", "3"], ["3"]]


def test_what_fails_every_time_is_told(sqs: SqsAtHand) -> None:
    sqs.answer([failed(1)], [failed(1)], [failed(1)])
    with pytest.raises(NotSent, match="InternalError"):
        SqsTaskQueue(sqs.client, sqs.url).send([a_task(0), a_task(1)])
    assert len(sqs.calls) == 3


def test_what_can_never_be_taken_is_told_at_once(sqs: SqsAtHand) -> None:
    sqs.answer([failed(0, sender_fault=True)])
    with pytest.raises(NotSent):
        SqsTaskQueue(sqs.client, sqs.url).send([a_task()])
    assert len(sqs.calls) == 1


def test_a_window_becomes_visible_after_its_delay_rounded_up(sqs: SqsAtHand) -> None:
    SqsWindowQueue(sqs.client, sqs.url).send(
        [Delayed(WINDOW, timedelta()), Delayed(WINDOW, timedelta(seconds=3.75)), Delayed(WINDOW, timedelta(minutes=15))]
    )
    assert [entry["DelaySeconds"] for entry in sqs.calls[0]] == [0, 4, 900]
    assert [parse_window(body) for body in sqs.bodies()] == [WINDOW]


def test_what_is_sent_over_a_span_becomes_visible_bit_by_bit(sqs: SqsAtHand) -> None:
    SqsTaskQueue(sqs.client, sqs.url).send_over(timedelta(minutes=10), [a_task(number) for number in range(10)])
    SqsTaskQueue(sqs.client, sqs.url).send_over(timedelta(minutes=10), [a_task(number) for number in range(3)])
    delays = [[entry["DelaySeconds"] for entry in call] for call in sqs.calls]
    assert delays == [[0, 60, 120, 180, 240, 300, 360, 420, 480, 540], [0, 200, 400]]


@pytest.mark.parametrize("number", [0, 1, 10])
def test_what_waits_for_its_time_stands_in_the_queue_too(tasks: MeasuredQueue, number: int) -> None:
    tasks.send_over(timedelta(minutes=10), [a_task(each) for each in range(number)])
    assert tasks.depth() == number


def test_delayed_messages_and_those_being_worked_on_count_as_held(sqs: SqsAtHand) -> None:
    SqsWindowQueue(sqs.client, sqs.url).send([Delayed(WINDOW, timedelta(minutes=15)), Delayed(WINDOW, timedelta())])
    sqs.bodies()
    assert SqsTaskQueue(sqs.client, sqs.url).depth() == 2
