"""`rewards dead-letters`: what an operator reads, and how letters are chosen."""

from datetime import timedelta
from typing import Any

import boto3
import pytest
import typer
from moto import mock_aws
from typer.testing import CliRunner

from adapters.letters import KeptLetters
from ops.cli import app
from ops.dead_letters import about, filed, heaps, line, pretty
from ops.letter_options import age, selection, utc_date
from ops.trouble import Trouble
from rewards.filing import Filed
from rewards.letters import TIMES_REDRIVEN
from tests.adapters.test_letter_file_contract import AT, MINUTE, a_letter
from tests.fakes.letters import MemoryLetters
from tests.fakes.world import TIMETABLE

ZONE = TIMETABLE.zone


def a_filed(minutes: int = 0, **fields: Any) -> Filed:
    ordinary = {
        "name": f"2026-11-30/m-{minutes}",
        "kind": "exhausted",
        "step": "book",
        "first_failed_at": AT + minutes * MINUTE,
        "error": "no table",
        "shop_id": "1",
        "order_group": "TG1",
    }
    return Filed(**ordinary | fields)


def test_a_line_says_which_letter_it_is_and_what_it_is_about() -> None:
    assert line(a_filed(), ZONE) == "2026-11-30/m-0  exhausted  book  1/TG1  2026-11-30 12:00  [dim]no table[/]"


def test_a_line_says_how_often_it_was_redriven_before_and_by_whom_it_was_last() -> None:
    told = line(a_filed(times_redriven=2, redriven_at=AT + MINUTE, redriven_by="alice", error=None), ZONE)
    assert told.endswith("2 × redriven before  redriven 2026-11-30 12:01 by alice  [dim][/]")


def test_what_a_sender_wrote_is_no_markup() -> None:
    assert "\\[red]" in line(a_filed(order_group="[red]", error="[bold]"), ZONE)


def test_letters_are_counted_by_kind_and_step_with_the_newest_error() -> None:
    letters = [
        a_filed(0, step="withdraw"),
        a_filed(1),
        a_filed(2, error="timeout"),
        a_filed(3, error=None, times_redriven=1),
    ]
    most, least = heaps(letters)
    assert (most.kind, most.step, most.letters, most.error) == ("exhausted", "book", 3, "timeout")
    assert (most.oldest, most.newest, most.redriven_before) == (AT + MINUTE, AT + 3 * MINUTE, 1)
    assert (least.step, least.letters) == ("withdraw", 1)
    assert heaps([]) == []


def test_a_letter_is_shown_with_all_that_it_carries() -> None:
    letter = a_letter(error="x" * 400, promotion_id="P1", attributes={TIMES_REDRIVEN: "1"})
    assert list(about(letter, a_filed(error="x" * 300), ZONE)) == [
        "tried 12 times, from 2026-11-30 12:00 to 2026-11-30 16:00",
        "came from arn:aws:sqs:ap-northeast-1:123456789012:BookQueue; version 0.1.0",
        "promotion P1",
        "times_redriven: 1",
        "x" * 400,
    ]


@pytest.mark.parametrize(("body", "shown"), [('{"a":1}', '{\n  "a": 1\n}'), ("no JSON", "no JSON"), ("", "")])
def test_a_body_is_shown_readably_whatever_it_is(body: str, shown: str) -> None:
    assert pretty(body) == shown


@pytest.mark.parametrize(
    ("text", "meant"), [("90m", timedelta(minutes=90)), ("36h", timedelta(hours=36)), ("7d", timedelta(days=7))]
)
def test_an_age_is_minutes_hours_or_days(text: str, meant: timedelta) -> None:
    assert age(text) == meant


def test_a_kind_there_is_none_of_is_misuse_that_names_those_there_are() -> None:
    asked = CliRunner().invoke(app, ["dead-letters", "list", "--kind", "foo"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert asked.exit_code == 2
    assert "'foo' is no kind of letter; there are invalid, refused, expired, exhausted, crashed" in asked.output


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "1.5h", "7w", "７d"])
def test_anything_else_is_misuse(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        age(text)


def test_ages_bound_when_it_first_failed() -> None:
    fields: dict[str, Any] = dict.fromkeys(("kind", "step", "shop", "promotion"))
    letters = MemoryLetters()
    for minutes in range(5):
        letters.keep(a_letter(minutes))
    now = AT + timedelta(minutes=10)
    meant = selection(**fields, older_than=timedelta(minutes=7), newer_than=timedelta(minutes=9), now=now)
    assert [each.name for each in letters.open(meant)] == ["2026-11-30/m-1", "2026-11-30/m-2"]


@pytest.mark.parametrize("name", ["2026-11-30/nobody", "m-1", ""])
def test_a_name_that_is_no_letter_s_is_trouble(name: str) -> None:
    with pytest.raises(Trouble, match="dead-letters list"):
        filed(name, MemoryLetters())


def test_what_is_no_letter_any_more_is_trouble_that_says_so() -> None:
    with mock_aws():
        s3, dynamodb = boto3.client("s3"), boto3.client("dynamodb")
        s3.create_bucket(Bucket="letters", CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
        s3.put_object(Bucket="letters", Key="letters/2026-11-30/m-1.json", Body=b'{"id": "m-1", "kind": "tired"}')
        with pytest.raises(Trouble, match=r"letters/2026-11-30/m-1.json is no letter: Invalid enum value 'tired'"):
            filed("2026-11-30/m-1", KeptLetters(s3, "letters", dynamodb, "letters"))


@pytest.mark.parametrize("age", ["--older-than", "--newer-than"])
def test_a_day_goes_with_no_age(age: str) -> None:
    asked = CliRunner().invoke(app, ["dead-letters", "list", "--day", "2026-11-30", age, "1d"])
    assert asked.exit_code == 2
    assert "goes with no age" in asked.output


@pytest.mark.parametrize("text", ["2026-W49-2", "20261130", "2026-11-31", "yesterday", ""])
def test_what_is_no_date_is_misuse(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no date, like 2026-11-30"):
        utc_date(text)
    assert utc_date("2026-11-30") == "2026-11-30"


@pytest.mark.parametrize(
    ("older_than", "newer_than"),
    [(timedelta(hours=2), timedelta(hours=1)), (timedelta(days=99_999), None)],
)
def test_ages_that_leave_no_time_between_them_are_misuse(older_than: timedelta, newer_than: timedelta | None) -> None:
    with pytest.raises(typer.BadParameter, match="leave no time between them"):
        selection(
            kind=None, step=None, shop=None, promotion=None, older_than=older_than, newer_than=newer_than, now=AT
        )  # fmt: skip


def test_an_age_of_nothing_is_an_age() -> None:
    none = dict.fromkeys(("kind", "step", "shop", "promotion"))
    assert selection(**none, older_than=None, newer_than=timedelta(), now=AT).since == AT
    assert selection(**none, older_than=timedelta(), newer_than=None, now=AT).until == AT
