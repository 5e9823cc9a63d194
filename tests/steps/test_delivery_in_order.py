"""Delivery of a stream: order counts, and a batch is written in one go."""

from typing import Any

import pytest

import delivery


def come_back(answer: delivery.Answer) -> list[str]:
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def records(*bodies: object) -> dict[str, Any]:
    return {"Records": [{"dynamodb": {"SequenceNumber": f"{n}"}, "body": body} for n, body in enumerate(bodies)]}


def read(record: dict[str, Any]) -> int:
    return int(record["body"])


def test_a_batch_of_a_stream_is_written_in_one_go_and_in_order() -> None:
    written: list[list[int]] = []
    assert come_back(delivery.in_order(records(1, 2, 3), read, written.append)) == []
    assert written == [[1, 2, 3]]


def test_all_before_a_record_that_cannot_be_read_is_written_and_the_rest_comes_back() -> None:
    written: list[list[int]] = []
    assert come_back(delivery.in_order(records(1, "?", 3), read, written.append)) == ["1"]
    assert written == [[1]]


@pytest.mark.parametrize("bodies", [(1, 2, 3), (1, "?", 3)])
def test_a_batch_that_cannot_be_written_comes_back_whole(bodies: tuple[object, ...]) -> None:
    def write(_: list[int]) -> None:
        raise RuntimeError("no table")

    assert come_back(delivery.in_order(records(*bodies), read, write)) == ["0"]
