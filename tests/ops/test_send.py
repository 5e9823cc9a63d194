from pathlib import Path
from typing import Any

import pytest

from ops.demo.day import sample_day
from ops.send import problem_of, put, read, requests
from ops.trouble import Trouble


class FlakyBus:
    """A bus that refuses each event the first time it sees it."""

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self.taken: list[str] = []

    def put_events(self, Entries: list[dict[str, str]]) -> dict[str, Any]:  # noqa: N803  # as boto3 names it
        assert len(Entries) <= 10
        answers = []
        for entry in Entries:
            if entry["Detail"] in self.refused:
                self.taken.append(entry["Detail"])
                answers.append({"EventId": "1"})
            else:
                self.refused.add(entry["Detail"])
                answers.append({"ErrorCode": "ThrottlingException", "ErrorMessage": "slow down"})
        return {"Entries": answers}


class DeafBus:
    def put_events(self, Entries: list[dict[str, str]]) -> dict[str, Any]:  # noqa: N803
        return {"Entries": [{"ErrorCode": "InternalFailure", "ErrorMessage": "out of order"}] * len(Entries)}


def an_event(**detail: object) -> dict[str, Any]:
    paid = next(event for event in sample_day().on_the_day if event["detail-type"] == "PaymentCompleted")
    return {**paid, "detail": {**paid["detail"], **detail}}


def test_entries_that_failed_are_sent_again_and_no_others() -> None:
    bus = FlakyBus()
    put([an_event(event_id=f"E{number}") for number in range(25)], bus, "orders")  # type: ignore[arg-type]
    assert len(bus.taken) == len(set(bus.taken)) == 25


def test_a_bus_that_takes_nothing_is_trouble() -> None:
    with pytest.raises(Trouble, match="did not take 1 event \\(out of order\\)"):
        put([an_event()], DeafBus(), "orders")  # type: ignore[arg-type]


def test_a_good_event_has_no_problem() -> None:
    assert problem_of(an_event()) is None


@pytest.mark.parametrize(
    ("value", "field", "words"),
    [
        (an_event(occurred_at="2026-11-11T09:00:00"), "detail.occurred_at", "not a time with an offset"),
        (an_event(shop_id=1), "detail.shop_id", "not a string"),
        ({"detail-type": "OrderVanished", "detail": {}}, "detail-type", "not one of OrderPlaced"),
        ({"detail-type": "OrderPlaced"}, "detail", "is missing"),
        (["no", "object"], "", "is not an object"),
    ],
)
def test_a_bad_event_is_named_with_its_field_and_the_problem(value: object, field: str, words: str) -> None:
    problem = problem_of(value)
    assert problem
    assert problem[0] == field
    assert words in problem[1]


def test_lines_are_counted_as_an_editor_counts_them(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text('{"a": 1}\n\n{"b": \n{"c": 3}\n')
    values = list(read(file))
    assert [line for line, _ in values] == [1, 3, 4]
    assert problem_of(values[1][1]) == ("", "is not JSON: Expecting value: line 1 column 7 (char 6)")


def test_an_array_and_json_lines_are_the_same(tmp_path: Path) -> None:
    array, lines = tmp_path / "a.json", tmp_path / "b.jsonl"
    array.write_text('[{"a": 1},\n {"b": 2}]')
    lines.write_text('\ufeff{"a": 1}\n{"b": 2}')
    assert list(read(array)) == list(read(lines)) == [(1, {"a": 1}), (2, {"b": 2})]


def test_one_event_may_take_as_many_lines_as_it_likes(tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_text('{\n  "a": 1\n}\n')
    assert list(read(file)) == [(1, {"a": 1})]


def test_a_file_that_is_no_text_is_trouble(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Trouble, match="not text in UTF-8"):
        list(read(file))


def test_an_event_is_measured_as_it_is_sent() -> None:
    assert problem_of(an_event(note="茶" * 80_000)) is None
    problem = problem_of(an_event(note="茶" * 90_000))
    assert problem
    assert "must be under" in problem[1]


def test_a_request_holds_no_more_bytes_than_one_takes() -> None:
    notes = ["茶" * 40_000] * 3 + ["x"] * 11
    sizes = [len(entries) for entries in requests([an_event(note=note) for note in notes], "orders")]
    assert sizes == [2, 10, 2]
    assert [len(entries) for entries in requests([an_event(note="x" * 300_000)] * 2, "orders")] == [1, 1]


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes('{"a": "\u2028\x85"}\r\n{"b": 2}\r\n'.encode())
    assert list(read(file)) == [(1, {"a": "\u2028\x85"}), (2, {"b": 2})]


def test_what_is_nested_too_deeply_is_named(tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    array, lines = tmp_path / "a.json", tmp_path / "b.jsonl"
    array.write_text(deep)
    lines.write_text(f'{{"detail": {deep}}}')
    with pytest.raises(Trouble, match="nested too deeply"):
        list(read(array))
    assert [problem_of(value) for _, value in read(lines)] == [("", "is not JSON: it is nested too deeply")]


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file_is_trouble(tmp_path: Path, text: str) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(text)
    with pytest.raises(Trouble, match="is empty"):
        list(read(file))
