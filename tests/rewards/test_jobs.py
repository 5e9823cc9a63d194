"""A job is moved within its period, and keeps its hours, its days and how often it runs."""

from itertools import chain

import msgspec
import pytest

from rewards.jobs import Job, minutes, period, staggered

PLAN = Job("plan", "plan", "1 * * * ? *", staggered=False)
RECYCLES = Job("recycles", "plan", "30 10 * * ? *", {"kind": "recycle"}, staggered=False)
SWEEP = Job("sweep", "sweep", "*/10 * * * ? *")


def hourly(count: int) -> list[Job]:
    return [Job(f"hourly {number}", "step", "0 * * * ? *") for number in range(count)]


def test_a_job_that_is_not_staggered_runs_exactly_on_its_minute() -> None:
    crons = staggered([PLAN, RECYCLES, SWEEP, *hourly(60)])
    assert (crons["plan"], crons["recycles"]) == ("1 * * * ? *", "30 10 * * ? *")


def test_a_job_every_ten_minutes_still_runs_every_ten_minutes() -> None:
    cron = staggered([SWEEP])["sweep"]
    first = minutes(cron)[0]
    assert minutes(cron) == [first + ten for ten in range(0, 60, 10)]
    assert first < 10


def test_a_job_keeps_its_hours_and_days() -> None:
    assert staggered([Job("monthly", "step", "0 4 1 * ? *")])["monthly"].split(maxsplit=1)[1] == "4 1 * ? *"
    assert staggered([Job("weekly", "step", "15 4 ? * MON *")])["weekly"].split(maxsplit=1)[1] == "4 ? * MON *"


def test_no_two_jobs_start_in_the_same_minute_while_there_are_minutes() -> None:
    crons = staggered([PLAN, RECYCLES, SWEEP, *hourly(60 - 1 - 1 - 6)])
    assert sorted(chain.from_iterable(map(minutes, crons.values()))) == list(range(60))


def test_jobs_of_a_longer_period_never_move_those_of_a_shorter() -> None:
    crons = staggered([PLAN, RECYCLES, SWEEP])
    more = staggered([*hourly(100), PLAN, RECYCLES, SWEEP])
    assert {name: more[name] for name in crons} == crons


def test_more_jobs_than_minutes_fill_them_evenly() -> None:
    starts = list(chain.from_iterable(map(minutes, staggered([PLAN, SWEEP, *hourly(200)]).values())))
    assert {starts.count(minute) for minute in range(60)} == {3, 4}


@pytest.mark.parametrize(
    ("cron", "at", "every"),
    [
        ("5 3 * * ? *", [5], 60),
        ("1,31 * * * ? *", [1, 31], 30),
        ("*/20 * * * ? *", [0, 20, 40], 20),
        ("2/20 * * * ? *", [2, 22, 42], 20),
    ],
)
def test_the_first_field_says_the_minutes(cron: str, at: list[int], every: int) -> None:
    assert (minutes(cron), period(cron)) == (at, every)


@pytest.mark.parametrize("base", ["*/7 * * * ? *", "1,2 * * * ? *"])
def test_a_job_at_uneven_minutes_cannot_be_moved(base: str) -> None:
    with pytest.raises(ValueError, match="equal parts"):
        staggered([Job("uneven", "step", base)])


def test_what_is_deployed_tells_the_job() -> None:
    assert [Job.described(job.description()) for job in (RECYCLES, SWEEP)] == [RECYCLES, SWEEP]


def test_a_description_by_hand_is_no_job() -> None:
    with pytest.raises(msgspec.MsgspecError):
        Job.described("runs every ten minutes")
