"""Messages under way while a release is rolled out must stay readable: `tests/golden/messages` keeps each version."""

from pathlib import Path

import msgspec
import pytest

from rewards.crm_files import Counts, CrmFile
from rewards.crm_messages import Batch, Collection, Place, parse_batch, parse_collection
from rewards.crm_rows import Layout
from rewards.errors import Invalid, TooNew
from rewards.reward import RewardId
from rewards.tasks import MESSAGE_VERSION, Group, ShardWindow, Task, parse_task, parse_window
from tests.builders import a_line
from tests.rewards.crm import a_crm_order, a_crm_return

GOLDEN = Path(__file__).parent.parent / "golden" / "messages"

TASKS = {
    "Task.keys.v1": Task(
        (
            "2026-12-01T16:00Z#1#M1#28343#2026-11-24T04:00:00.000000Z#TG20193021",
            "2026-12-01T16:00Z#1#M1#28343#2026-11-24T04:05:00.000000Z#TG~12019",
        )
    ),
    "Task.v1": Task(
        groups=(Group("1", "M1", "28343", ("TG20193021", "TG20193022")), Group("1", "M2", "28343", ("TG1",)))
    ),
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

FILE = CrmFile("crm/門市 一/2026-11-30/till.csv", "9e107d9d372bb6826bd81d3542a419d6", 4_096)
COLLECTIONS = {
    "Collection.shop.v1": Collection("門市 一"),
    "Collection.file.v1": Collection("門市 一", FILE),
    "Collection.rest.v1": Collection(
        "門市 一",
        FILE,
        Place(
            "cp950",
            Layout({"order_group": 1, "line": 0}, width=12),
            start=2_048,
            line=31,
            counts=Counts(read=30, accepted=20, skipped=1, rejected=9),
            readers=2,
        ),
    ),
}
SOLD = a_crm_order(a_line("L1", "680.50", categories=("茶",)), returns=[a_crm_return("L1", "680.50", return_id="R1")])
BATCHES = {"Batch.v1": Batch("門市 一", FILE.key, (SOLD, a_crm_order(a_line(), order_group="TG2", member_id=None)))}
ALL = TASKS | WINDOWS | COLLECTIONS | BATCHES


@pytest.mark.parametrize("name", TASKS)
def test_a_task_reads_as_it_did_when_it_was_new(name: str) -> None:
    assert parse_task((GOLDEN / f"{name}.json").read_text()) == TASKS[name]


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_reads_as_it_did_when_it_was_new(name: str) -> None:
    assert parse_window((GOLDEN / f"{name}.json").read_text()) == WINDOWS[name]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_collection_reads_as_it_did_when_it_was_new(name: str) -> None:
    assert parse_collection((GOLDEN / f"{name}.json").read_text()) == COLLECTIONS[name]


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_reads_as_it_did_when_it_was_new(name: str) -> None:
    assert parse_batch((GOLDEN / f"{name}.json").read_text()) == BATCHES[name]


@pytest.mark.parametrize("name", [name for name in ALL if name.endswith(f".v{MESSAGE_VERSION}")])
def test_todays_message_is_written_as_the_newest_golden_one(name: str) -> None:
    written = msgspec.json.format(msgspec.json.encode(ALL[name]), indent=2)
    assert written + b"\n" == (GOLDEN / f"{name}.json").read_bytes()


def test_fields_of_a_later_release_are_ignored_and_a_missing_version_is_the_first() -> None:
    assert parse_task('{"list_key": "a.json", "colour": "red"}') == Task(list_key="a.json")


def test_a_later_version_is_told_even_where_it_cannot_be_read() -> None:
    with pytest.raises(TooNew, match="version 2"):
        parse_window('{"v": 2, "kind": {"new": "shape"}}')


def test_a_task_names_rewards_by_key_and_by_group() -> None:
    by_key, by_group = TASKS["Task.keys.v1"], TASKS["Task.v1"]
    assert by_key.rewards() == [RewardId("1", "TG20193021", "28343"), RewardId("1", "TG#2019", "28343")]
    assert by_group.rewards() == [RewardId("1", order, "28343") for order in ("TG20193021", "TG20193022", "TG1")]


@pytest.mark.parametrize("body", ["{}", '{"Keys": ["a"]}', '{"groups": []}'])
def test_a_task_that_names_nothing_is_not_taken_for_one_that_is_done(body: str) -> None:
    with pytest.raises(Invalid, match="names no reward"):
        parse_task(body)


def test_a_key_that_says_nothing_is_named() -> None:
    with pytest.raises(Invalid, match=r"^keys: 'a#b' is no sort key of the due index$"):
        parse_task('{"keys": ["a#b"]}')


@pytest.mark.parametrize("body", ["", "[]", "no json", '{"v": "1"}', '{"groups": [{}]}', '{"start": 1.5}'])
def test_what_is_no_task_is_invalid(body: str) -> None:
    with pytest.raises(Invalid):
        parse_task(body)
