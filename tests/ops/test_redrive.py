"""`rewards redrive`: letter by letter, each once, at the pace that was asked for; one that fails costs only itself."""

from collections.abc import Callable
from datetime import timedelta

import msgspec
import pytest
from typer.testing import CliRunner

from ops.cli import app
from ops.dead_letters import heaps
from ops.pace import Pace
from ops.redrive import CLAIMED_FOR, Failed, Redriven, Tried, each_of, foretell, redrive_one, shown, summed_up
from ops.replay import FailedAgainError
from rewards.letters import Letter
from tests.adapters.test_letter_file_contract import AT, a_letter, meant
from tests.fakes.letters import MemoryLetters
from tests.fakes.world import TIMETABLE

NAMES = ["2026-11-30/m-0", "2026-11-30/m-1", "2026-11-30/m-2"]


class Time:
    """A clock that only sleeping moves, unless a test does."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def pace(self, per_second: float) -> Pace:
        return Pace(per_second, clock=lambda: self.now, sleep=self.sleep)


class Replay:
    """Notes what is sent; letters named in `fails` fail."""

    def __init__(self, *fails: str, is_sent: bool = True) -> None:
        self.sent: list[str] = []
        self._fails = fails
        self._is_sent = is_sent

    def __call__(self, letter: Letter) -> bool:
        if letter.id in self._fails:
            raise FailedAgainError("it did it again")
        self.sent.append(letter.id)
        return self._is_sent


class Garbled(MemoryLetters):
    """The same letters, but for one that cannot be read any more."""

    def __init__(self, kept: MemoryLetters, name: str) -> None:
        self.__dict__ |= kept.__dict__
        self._name = name

    def whole(self, name: str) -> Letter:
        return msgspec.json.decode("{", type=Letter) if name == self._name else super().whole(name)


@pytest.fixture
def letters() -> MemoryLetters:
    kept = MemoryLetters()
    for minutes in range(3):
        kept.keep(a_letter(minutes))
    return kept


def run(letters: MemoryLetters, replay: Callable[[Letter], bool], names: list[str] = NAMES) -> list[Tried]:
    return list(each_of(names, letters, replay, pace=Time().pace(10), by="alice", clock=lambda: AT))


def still_open(letters: MemoryLetters) -> list[str]:
    return [filed.name for filed in letters.open(meant())]


def test_every_letter_is_sent_once_and_says_by_whom(letters: MemoryLetters) -> None:
    replay = Replay()
    assert [each.what for each in run(letters, replay)] == ["redriven"] * 3
    assert [each.what for each in run(letters, replay)] == ["taken"] * 3
    assert replay.sent == ["m-0", "m-1", "m-2"]
    assert {filed.redriven_by for filed in letters.of_day("2026-11-30")} == {"alice"}


def test_one_that_fails_stays_open_and_the_others_go_on(letters: MemoryLetters) -> None:
    done = summed_up(run(letters, Replay("m-1")))
    assert done == Redriven(
        redriven=2, nothing_to_do=0, taken=0, failed=[Failed("2026-11-30/m-1", "it did it again")]
    )  # fmt: skip
    assert still_open(letters) == ["2026-11-30/m-1"]
    assert [each.what for each in run(letters, Replay(), ["2026-11-30/m-1"])] == ["redriven"]


def test_where_nothing_is_left_to_do_the_letter_is_closed_all_the_same(letters: MemoryLetters) -> None:
    assert summed_up(run(letters, Replay(is_sent=False))).nothing_to_do == 3
    assert still_open(letters) == []


def test_what_another_operator_has_at_this_moment_is_left_to_them(letters: MemoryLetters) -> None:
    def meanwhile(letter: Letter) -> bool:
        assert redrive_one(letter, letters, Replay(), by="bob", now=AT) == "taken"
        return True

    assert redrive_one(a_letter(0), letters, meanwhile, by="alice", now=AT) == "redriven"


def test_interrupted_it_lets_the_letter_go(letters: MemoryLetters) -> None:
    def interrupted(letter: Letter) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        redrive_one(a_letter(0), letters, interrupted, by="alice", now=AT)
    assert redrive_one(a_letter(0), letters, Replay(), by="bob", now=AT) == "redriven"


def test_who_died_with_a_letter_keeps_it_from_nobody_for_long(letters: MemoryLetters) -> None:
    assert letters.claim(a_letter(0), now=AT, until=AT + CLAIMED_FOR)
    assert redrive_one(a_letter(0), letters, Replay(), by="bob", now=AT + timedelta(minutes=9)) == "taken"
    assert redrive_one(a_letter(0), letters, Replay(), by="bob", now=AT + CLAIMED_FOR) == "redriven"


def test_a_letter_that_is_gone_is_a_failure_of_its_own(letters: MemoryLetters) -> None:
    gone, good = run(letters, Replay(), ["2026-11-30/gone", NAMES[0]])
    assert (gone.what, good.what) == ("failed", "redriven")


def test_a_letter_whose_object_is_garbled_is_a_failure_of_its_own(letters: MemoryLetters) -> None:
    garbled, good = run(Garbled(letters, NAMES[1]), Replay(), [NAMES[1], NAMES[0]])
    assert (garbled.what, good.what) == ("failed", "redriven")
    assert garbled.problem == "Input data was truncated"


def test_a_letter_and_filters_are_not_mixed() -> None:
    asked = CliRunner().invoke(app, ["redrive", NAMES[0], "--kind", "invalid"])
    assert asked.exit_code == 2
    assert "goes with no filter" in asked.output


def test_where_nobody_watches_there_is_a_line_of_progress_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    tried = [Tried(f"2026-11-30/m-{number}", "redriven") for number in range(250)]
    assert list(shown(tried, of=250)) == tried
    assert capsys.readouterr().err == "Redriving: 100 of 250\nRedriving: 200 of 250\n"


def test_a_dry_run_says_what_would_be_done(letters: MemoryLetters, capsys: pytest.CaptureFixture[str]) -> None:
    foretell(heaps(letters.open(meant())), TIMETABLE.zone)
    told, heap = capsys.readouterr().out.splitlines()
    assert told == "3 letters would be redriven:"
    assert heap.strip().startswith("3  exhausted  book")
    foretell([], TIMETABLE.zone)
    assert capsys.readouterr().out.startswith("No letter would be redriven: none that is meant is open")


def test_no_more_a_second_than_was_asked_for(letters: MemoryLetters) -> None:
    time = Time()
    list(each_of(NAMES, letters, Replay(), pace=time.pace(4), by="alice", clock=lambda: AT))
    assert time.slept == [0.25, 0.25]


def test_time_that_was_lost_is_not_made_up_for() -> None:
    time = Time()
    pace = time.pace(2)
    pace.wait()
    time.now += 60
    for _ in range(3):
        pace.wait()
    assert time.slept == [0.5, 0.5]
