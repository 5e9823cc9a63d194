"""Messages under way while a release is rolled out must stay readable: `tests/golden/messages` keeps each version."""

from pathlib import Path

import msgspec
import pytest

from rewards.errors import Invalid, TooNew
from rewards.tasks import MESSAGE_VERSION, Group, ShardWindow, Task, parse_task, parse_window

GOLDEN = Path(__file__).parent.parent / "golden" / "messages"

TASKS = {
    "Task.v1": Task((Group("1", "M1", "28343", ("TG20193021", "TG20193022")), Group("1", "M2", "28343", ("TG1",)))),
    "Task.listed.v1": Task(list_key="reward/2026-12-01T16:00Z/0f4c.json", start=4_000, passes=2),
}
WINDOWS = {
    "ShardWindow.v1": ShardWindow("reward", "2026-12-01", 7, "2026-12-01T16:00Z", "2026-12-01T17:00Z"),
    "ShardWindow.rest.v1": ShardWindow(
        "recycle",
        "2026-12-01",
        7,
        "2026-12-01T02:31Z",
        "2026-12-02T00:00Z",
        after="2026-12-01T08:15Z#1#M1#28343#2026-11-24T04:00:00.000000Z#TG20193021",
        passes=3,
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_a_task_reads_as_it_did_when_it_was_new(name: str) -> None:
    assert parse_task((GOLDEN / f"{name}.json").read_text()) == TASKS[name]


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_reads_as_it_did_when_it_was_new(name: str) -> None:
    assert parse_window((GOLDEN / f"{name}.json").read_text()) == WINDOWS[name]


@pytest.mark.parametrize("name", [name for name in TASKS | WINDOWS if name.endswith(f".v{MESSAGE_VERSION}")])
def test_todays_message_is_written_as_the_newest_golden_one(name: str) -> None:
    written = msgspec.json.format(msgspec.json.encode((TASKS | WINDOWS)[name]), indent=2)
    assert written + b"\n" == (GOLDEN / f"{name}.json").read_bytes()


def test_fields_of_a_later_release_are_ignored_and_a_missing_version_is_the_first() -> None:
    assert parse_task('{"list_key": "a.json", "colour": "red"}') == Task(list_key="a.json")


def test_a_later_version_is_told_even_where_it_cannot_be_read() -> None:
    with pytest.raises(TooNew, match="version 2"):
        parse_window('{"v": 2, "kind": {"new": "shape"}}')


@pytest.mark.parametrize("body", ["", "[]", "no json", '{"v": "1"}', '{"groups": [{}]}', '{"start": 1.5}'])
def test_what_is_no_task_is_invalid(body: str) -> None:
    with pytest.raises(Invalid):
        parse_task(body)
