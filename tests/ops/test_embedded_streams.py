"""A stream's batch on the embedded cloud: it comes back until all of it is written or set aside, as on AWS."""

from typing import Any

from ops.embedded.streams import InOrder

PUBLISH = {"config": {"FunctionArn": "arn:aws:lambda:ap-northeast-1:000000000000:function:publish"}}
AUDIT = {"config": {"FunctionArn": "arn:aws:lambda:ap-northeast-1:000000000000:function:audit"}}
RETRIES = 2


class Function:
    """Writes the records before the first that it cannot read, and names that one."""

    def __init__(self, *unreadable: str) -> None:
        self.written: list[list[str]] = []
        self.set_aside: list[str] = []
        self._unreadable = unreadable

    def run(self, _function: Any, event: Any) -> dict[str, Any]:
        numbers = [record["dynamodb"]["SequenceNumber"] for record in event["Records"]]
        failed = [number for number in numbers if number in self._unreadable][:1]
        self.written.append(numbers[: numbers.index(failed[0])] if failed else numbers)
        return {"body": {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}}

    def keep(self, _function: Any, record: Any) -> None:
        self.set_aside.append(record["dynamodb"]["SequenceNumber"])


def in_order(function: Function) -> InOrder:
    return InOrder(function.run, lambda _: RETRIES, function.keep)


def of_records(*numbers: str) -> dict[str, Any]:
    return {"Records": [{"dynamodb": {"SequenceNumber": number}} for number in numbers]}


def calls_until_done(called: InOrder, batch: Any, function: Any = PUBLISH) -> int:
    for number in range(1, 20):
        if not called(function, batch).get("error"):
            return number
    raise AssertionError("it comes back for ever")


def test_a_batch_that_is_written_is_called_once() -> None:
    function = Function()
    assert calls_until_done(in_order(function), of_records("1", "2")) == 1
    assert function.written == [["1", "2"]]


def test_what_cannot_be_read_is_set_aside_and_all_behind_it_is_written() -> None:
    function = Function("2", "4")
    calls = calls_until_done(in_order(function), of_records("1", "2", "3", "4", "5"))
    assert calls == 2 * (1 + RETRIES) + 1
    assert function.set_aside == ["2", "4"]
    assert function.written[-1] == ["1", "3", "5"]


def test_a_batch_of_nothing_else_is_done_with() -> None:
    function = Function("1")
    assert calls_until_done(in_order(function), of_records("1")) == 1 + RETRIES + 1
    assert function.set_aside == ["1"]


def test_each_reader_of_the_stream_tries_for_itself() -> None:
    function = Function("1")
    called = in_order(function)
    assert calls_until_done(called, of_records("1")) == calls_until_done(called, of_records("1"), AUDIT)
    assert function.set_aside == ["1", "1"]


def test_what_is_of_no_stream_is_answered_as_it_is() -> None:
    answer = {"body": {"batchItemFailures": [{"itemIdentifier": "m-1"}]}}
    called = InOrder(lambda *_: answer, lambda _: 0, lambda *_: None)
    assert called(PUBLISH, {"Records": [{"messageId": "m-1"}]}) is answer
    assert called(PUBLISH, ["of a schedule"]) is answer
