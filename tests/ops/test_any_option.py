"""Whatever an operator types, it is understood or misuse, never a traceback; so with what files and letters hold."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from ops.dead_letters import pretty
from ops.dispatch import time_of
from ops.importing import key_of
from ops.letter_options import age, selection, utc_date
from ops.orders import order_ids
from ops.promotions import read as read_promotions
from ops.send import dumped, problem_of
from ops.send import read as read_events
from ops.terminal import named, plain
from ops.trouble import Trouble
from tests.builders import NOW, a_written_promotion
from tests.rewards.spoilt import DEEP, anything, spoilt
from tests.steps.orders import PAID

Chosen = Callable[[str], object]
OPTIONS: dict[str, Chosen] = {
    "--older-than": lambda text: _selected(older_than=text),
    "--newer-than": lambda text: _selected(newer_than=text),
    "--day": utc_date,
    "--execute-time": time_of,
    "ORDER": order_ids,
    "SHOP": lambda text: named(text, "SHOP"),
    "--shop": lambda text: key_of("till.csv", text, "2026-11-30").encode(),
    "--date": lambda text: key_of("till.csv", "1", text),
    "FILE": lambda text: key_of(text, "1", "2026-11-30").encode(),
}
nearly = st.from_regex(r"[0-9]{1,9}[mhdw]|[0-9]{4,5}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:00:00(Z|[+-][0-9]{2}:00))?|[0-9/]+")


def _selected(**ages: str) -> object:
    told = {name: age(text) for name, text in ages.items()}
    nothing = {"kind": None, "step": None, "shop": None, "promotion": None, "older_than": None, "newer_than": None}
    return selection(**nothing | told, now=NOW)


@pytest.mark.parametrize("option", OPTIONS)
@given(text=anything | nearly)
def test_an_option_is_understood_or_misuse(option: str, text: str) -> None:
    with suppress(typer.BadParameter):
        OPTIONS[option](text)


@pytest.mark.parametrize("text", ["999999d", "100000h"])
def test_an_age_from_before_all_time_is_misuse(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no age"):
        age(text)


@pytest.mark.parametrize(
    ("name", "shop", "day", "hint", "problem"),
    [
        ("till.csv", "1", "30.11.2026", "--date", "'30.11.2026' is no date, like 2026-11-30"),
        ("till.csv", "1", "20261130", "--date", "'20261130' is no date, like 2026-11-30"),
        ("till.csv", "1/2", "2026-11-30", "--shop", "'1/2' has a slash, so no folder can be named so"),
        ("till.csv", " ", "2026-11-30", "--shop", "is empty"),
        ("\udc80.csv", "1", "2026-11-30", "FILE", "'\\udc80.csv' is a name that S3 cannot have"),
    ],
)
def test_what_is_no_place_for_a_file_names_the_option_and_the_problem(
    name: str, shop: str, day: str, hint: str, problem: str
) -> None:
    with pytest.raises(typer.BadParameter) as misuse:
        key_of(name, shop, day)
    assert (misuse.value.param_hint, misuse.value.message) == (hint, problem)


contents = st.one_of(
    st.binary(max_size=50),
    (anything | spoilt([a_written_promotion()]).map(json.dumps)).map(lambda text: text.encode(errors="replace")),
    spoilt(json.loads(PAID)).map(lambda event: json.dumps(event).encode()),
)


@given(contents)
def test_a_file_is_read_or_trouble(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_bytes(content)
        with suppress(Trouble):
            read_promotions(file)
        with suppress(Trouble):
            for _, value in read_events(file):
                if problem_of(value) is None:
                    dumped(value).encode()


@given(anything)
def test_a_letter_s_body_is_shown_whatever_it_is(body: str) -> None:
    assert plain(pretty(body)) is not None


@pytest.mark.parametrize("body", ["", DEEP, '"\ud800"', "no JSON"])
def test_a_body_that_is_no_json_is_shown_as_it_is(body: str) -> None:
    assert pretty(body) == body
