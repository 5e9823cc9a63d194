"""What every file of letters promises, in memory and in AWS."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import boto3
import pytest
from moto import mock_aws

from adapters.letters import KeptLetters
from rewards.filing import LetterFile, Selection
from rewards.letters import TIMES_REDRIVEN, FailureKind, Letter
from tests.fakes.letters import MemoryLetters
from tests.fakes.tables import make_letters_table

AT = datetime(2026, 11, 30, 4, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture(params=["memory", "aws"])
def letters(request: pytest.FixtureRequest) -> Iterator[LetterFile]:
    if request.param == "memory":
        yield MemoryLetters()
        return
    with mock_aws():
        s3, dynamodb = boto3.client("s3"), boto3.client("dynamodb")
        s3.create_bucket(Bucket="letters", CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
        make_letters_table(dynamodb, "letters")
        yield KeptLetters(s3, "letters", dynamodb, "letters")


def a_letter(minutes: int = 0, kind: str = "exhausted", **fields: Any) -> Letter:
    ordinary = {
        "id": f"m-{minutes}",
        "step": "book",
        "source": "arn:aws:sqs:ap-northeast-1:123456789012:BookQueue",
        "body": "{}",
        "attempts": 12,
        "first_failed_at": AT + minutes * MINUTE,
        "failed_at": AT + timedelta(hours=4),
        "service_version": "0.1.0",
        "shop_id": "1",
        "order_group": "TG1",
    }
    return Letter(**ordinary | {"kind": kind} | fields)


def meant(**fields: Any) -> Selection:
    everything = {"kinds": get_args(FailureKind), "since": AT - timedelta(days=9), "until": AT + timedelta(days=9)}
    return Selection(**everything | fields)


def open_names(letters: LetterFile, selection: Selection, after: str | None = None) -> list[str]:
    return [filed.name.split("/")[1] for filed in letters.open(selection, after=after)]


def keep(letters: LetterFile, *kept: Letter) -> None:
    for letter in kept:
        letters.keep(letter)


def test_a_letter_is_found_with_all_that_its_item_tells_and_read_whole_by_its_name(letters: LetterFile) -> None:
    letter = a_letter(error="no table", promotion_id="P1", attributes={TIMES_REDRIVEN: "2"})
    letters.keep(letter)
    (filed,) = letters.open(meant())
    assert (filed.name, filed.kind, filed.step) == ("2026-11-30/m-0", "exhausted", "book")
    assert (filed.shop_id, filed.order_group, filed.promotion_id, filed.error) == ("1", "TG1", "P1", "no table")
    assert (filed.first_failed_at, filed.times_redriven) == (AT, 2)
    assert (filed.redriven_at, filed.redriven_by) == (None, None)
    assert letters.whole(filed.name) == letter


def test_a_name_that_is_no_letter_s_is_not_found(letters: LetterFile) -> None:
    with pytest.raises(LookupError):
        letters.whole("2026-11-30/nobody")


def test_open_letters_of_all_kinds_come_by_their_time(letters: LetterFile) -> None:
    keep(letters, a_letter(3, "invalid"), a_letter(1, "crashed"), a_letter(2, "invalid"), a_letter(0, "refused"))
    assert open_names(letters, meant()) == ["m-0", "m-1", "m-2", "m-3"]


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"kinds": ("invalid",)}, ["m-1"]),
        ({"kinds": ("invalid", "refused")}, ["m-1", "m-2"]),
        ({"step": "withdraw"}, ["m-3"]),
        ({"shop_id": "2"}, ["m-3"]),
        ({"promotion_id": "P1"}, ["m-2"]),
        ({"since": AT + MINUTE, "until": AT + 3 * MINUTE}, ["m-1", "m-2"]),
        ({"until": AT}, []),
    ],
)
def test_a_selection_holds_what_it_says(letters: LetterFile, fields: dict[str, Any], names: list[str]) -> None:
    keep(letters, a_letter(0), a_letter(1, "invalid"), a_letter(2, "refused", promotion_id="P1"))
    letters.keep(a_letter(3, step="withdraw", shop_id="2"))
    assert open_names(letters, meant(**fields)) == names


def test_a_list_goes_on_from_behind_the_last_letter_that_was_seen(letters: LetterFile) -> None:
    keep(letters, *(a_letter(number, "invalid" if number % 2 else "crashed") for number in range(5)))
    *_, last = [filed for filed, _ in zip(letters.open(meant()), range(2), strict=False)]
    assert open_names(letters, meant(), after=last.sort) == ["m-2", "m-3", "m-4"]


def test_a_day_has_all_its_letters_redriven_or_not_and_no_other_day_s(letters: LetterFile) -> None:
    keep(letters, a_letter(0), a_letter(1), a_letter(24 * 60))
    letters.close(a_letter(0), by="alice", at=AT)
    first, second = letters.of_day("2026-11-30")
    assert (first.redriven_by, first.redriven_at) == ("alice", AT)
    assert (second.redriven_by, second.redriven_at) == (None, None)


def test_of_two_operators_one_has_the_letter(letters: LetterFile) -> None:
    letters.keep(a_letter())
    assert letters.claim(a_letter(), now=AT, until=AT + MINUTE)
    assert not letters.claim(a_letter(), now=AT, until=AT + MINUTE)
    assert open_names(letters, meant()) == ["m-0"], "until it is done it is open"


def test_a_letter_is_free_again_when_it_is_let_go_or_its_time_is_over(letters: LetterFile) -> None:
    letters.keep(a_letter())
    assert letters.claim(a_letter(), now=AT, until=AT + MINUTE)
    assert letters.claim(a_letter(), now=AT + MINUTE, until=AT + 2 * MINUTE)
    letters.let_go(a_letter())
    assert letters.claim(a_letter(), now=AT + MINUTE, until=AT + 2 * MINUTE)


def test_what_is_redriven_is_not_open_and_nobody_s_to_claim(letters: LetterFile) -> None:
    letters.keep(a_letter())
    assert letters.claim(a_letter(), now=AT, until=AT + MINUTE)
    letters.close(a_letter(), by="alice", at=AT)
    assert open_names(letters, meant()) == []
    assert not letters.claim(a_letter(), now=AT + MINUTE, until=AT + 2 * MINUTE)


def test_a_letter_kept_again_stays_redriven(letters: LetterFile) -> None:
    letters.keep(a_letter())
    letters.close(a_letter(), by="alice", at=AT)
    letters.keep(a_letter())
    assert open_names(letters, meant()) == []


def test_nobody_claims_what_was_never_kept(letters: LetterFile) -> None:
    assert not letters.claim(a_letter(), now=AT, until=AT + MINUTE)
    assert list(letters.of_day("2026-11-30")) == []
