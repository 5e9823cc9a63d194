"""Whatever lies in a dead-letter queue can be kept, listed and, if it says where to, sent back."""

import json
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewards.errors import RewardsError
from rewards.given_up import letter_in, parked
from rewards.letters import Letter
from rewards.replaying import NoWayBackError, way_back
from tests.builders import NOW
from tests.rewards.spoilt import DEEP, spoilt
from tests.rewards.test_given_up import AWS, BOOK_QUEUE, PAID, a_message, failed_call

A_LETTER = json.loads((Path(__file__).parent.parent / "golden/letters/Letter.v1.json").read_text())
bodies = st.one_of(
    spoilt(A_LETTER).map(json.dumps),
    spoilt(json.loads(failed_call())).map(json.dumps),
    spoilt(json.loads(PAID) | {"resources": ["times_redriven/1"]}).map(json.dumps),
    st.text(),
    st.just(DEEP),
)
attributes = st.dictionaries(
    st.sampled_from(["RULE_ARN", "TARGET_ARN", "ERROR_CODE", "ERROR_MESSAGE", "RETRY_ATTEMPTS", "times_redriven", "x"]),
    st.text(max_size=20)
    | st.sampled_from([AWS.format("events", "rule/bus/r"), BOOK_QUEUE, "3", "9" * 5000, "²", "-1"]),
)


def kept(letter: Letter) -> None:
    assert msgspec.json.decode(msgspec.json.encode(letter), type=Letter) == letter
    assert letter.step
    assert letter.name.startswith(letter.day)
    assert letter.times_redriven >= 0
    with suppress(NoWayBackError):
        way_back(letter, {"Rewards-BookQueue"})


@given(bodies, attributes)
@example(json.dumps({"type": "Letter"}), {})
@example(json.dumps(A_LETTER | {"first_failed_at": "0001-01-01T00:00:00+14:00"}), {})
def test_whatever_is_in_a_dead_letter_queue_is_a_letter_that_can_be_kept(body: str, told: dict[str, str]) -> None:
    with suppress(RewardsError):
        kept(letter_in(a_message(body, attributes=told), now=NOW))


@given(bodies, attributes, st.text())
def test_whatever_a_step_gives_up_is_a_letter_that_can_be_kept(body: str, told: dict[str, str], problem: str) -> None:
    kept(parked(a_message(body, attributes=told), "exhausted", RuntimeError(problem), step="book", now=NOW))


@pytest.mark.parametrize("spoils", [{"v": "1"}, {"v": None}, {"kind": "sad"}, {"step": ""}, {"first_failed_at": "now"}])
def test_what_only_says_that_it_is_a_letter_is_kept_as_it_came(spoils: dict[str, object]) -> None:
    body = json.dumps(A_LETTER | spoils)
    letter = letter_in(a_message(body), now=NOW)
    assert (letter.kind, letter.body, letter.step) == ("crashed", body, "Rewards-BookQueue")


@pytest.mark.parametrize("told", ["", "x", "²", "-1", "9" * 5000])
def test_a_count_that_is_none_counts_nothing(told: str) -> None:
    attributes = {"times_redriven": told, "ERROR_CODE": "NO_PERMISSIONS", "RETRY_ATTEMPTS": told, "RULE_ARN": "a rule"}
    letter = letter_in(a_message(attributes=attributes), now=NOW)
    assert (letter.times_redriven, letter.attempts, letter.step) == (0, 1, "a rule")
