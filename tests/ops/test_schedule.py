"""`rewards schedule` tells what is deployed: when each job runs, and how many start at once."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import boto3
import pytest
from moto import mock_aws

from ops.schedule.command import show, timetable_of
from ops.schedule.deployed import Scheduled, deployed
from ops.schedule.runs import runs
from ops.schedule.starts import bars, starts
from ops.trouble import Trouble
from rewards.jobs import Job, staggered

if TYPE_CHECKING:
    from mypy_boto3_scheduler import EventBridgeSchedulerClient

TAIPEI = ZoneInfo("Asia/Taipei")
NOW = datetime(2026, 11, 18, 0, 30, tzinfo=TAIPEI)
PLAN = Job("plan", "plan", "1 * * * ? *", {"kind": "reward"}, staggered=False)
SWEEP = Job("sweep", "sweep", "*/10 * * * ? *")
GROUP = "jobs"


@pytest.fixture
def scheduler() -> Iterator["EventBridgeSchedulerClient"]:
    with mock_aws():
        client = boto3.client("scheduler")
        for group in (GROUP, "another stack's"):
            client.create_schedule_group(Name=group.replace(" ", "-").replace("'", ""))
        yield client


def deploy(
    scheduler: "EventBridgeSchedulerClient", name: str, expression: str, description: str, group: str = GROUP
) -> None:
    scheduler.create_schedule(
        Name=name,
        GroupName=group,
        Description=description,
        ScheduleExpression=expression,
        ScheduleExpressionTimezone="Asia/Taipei",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={
            "Arn": "arn:aws:lambda:ap-northeast-1:123456789012:function:step",
            "RoleArn": "arn:aws:iam::123456789012:role/schedule",
        },
    )


def scheduled(job: Job, cron: str | None = None, *, enabled: bool = True) -> Scheduled:
    return Scheduled(job, cron or staggered([job])[job.name], "Asia/Taipei", enabled)


def hourly(count: int) -> list[Scheduled]:
    jobs = [Job(f"hourly-{number}", "step", "0 * * * ? *") for number in range(count)]
    crons = staggered(jobs)
    return [scheduled(job, crons[job.name]) for job in jobs]


def next_runs(cron: str, after: str, zone: str = "Asia/Taipei", count: int = 3) -> list[str]:
    found = islice(runs(cron, ZoneInfo(zone), datetime.fromisoformat(after)), count)
    return [f"{run:%m-%d %H:%M}" for run in found]


def test_it_reads_what_is_deployed_in_the_group_of_the_stack(scheduler: "EventBridgeSchedulerClient") -> None:
    deploy(scheduler, "Rewards-dev-Sweep", "cron(3,13,23,33,43,53 * * * ? *)", SWEEP.description())
    deploy(scheduler, "Rewards-dev-Plan", "cron(1 * * * ? *)", PLAN.description())
    deploy(scheduler, "Another-Plan", "cron(1 * * * ? *)", PLAN.description(), group="another-stacks")
    assert deployed(scheduler, GROUP) == [scheduled(PLAN), scheduled(SWEEP, "3,13,23,33,43,53 * * * ? *")]


@pytest.mark.parametrize(
    ("expression", "description", "complaint"),
    [
        ("cron(1 * * * ? *)", "made by hand", "does not tell its job"),
        ("rate(10 minutes)", SWEEP.description(), "no cron"),
    ],
)
def test_a_schedule_changed_by_hand_is_named(
    scheduler: "EventBridgeSchedulerClient", expression: str, description: str, complaint: str
) -> None:
    deploy(scheduler, "Rewards-dev-Sweep", expression, description)
    with pytest.raises(Trouble, match=complaint):
        deployed(scheduler, GROUP)


@pytest.mark.parametrize(
    ("cron", "runs"),
    [
        ("1 * * * ? *", ["11-17 17:01", "11-17 18:01", "11-17 19:01"]),
        ("30 10 * * ? *", ["11-18 02:30", "11-19 02:30", "11-20 02:30"]),
        ("0 4 1 * ? *", ["11-30 20:00", "12-31 20:00", "01-31 20:00"]),
        ("0 12 ? * MON-WED *", ["11-18 04:00", "11-23 04:00", "11-24 04:00"]),
        ("0 12 ? * 2-4 *", ["11-18 04:00", "11-23 04:00", "11-24 04:00"]),
        ("0 12 ? * 2#1 *", ["12-07 04:00", "01-04 04:00", "02-01 04:00"]),
    ],
)
def test_a_cron_is_read_as_the_scheduler_reads_it(cron: str, runs: list[str]) -> None:
    assert next_runs(cron, "2026-11-18T00:30:00+08:00") == runs


@pytest.mark.parametrize(
    ("cron", "after", "runs"),
    [
        # the clocks go from 02:00 to 03:00
        ("30 2 * * ? *", "2026-03-28T12:00:00+01:00", ["03-30 00:30"]),
        ("30 * * * ? *", "2026-03-29T01:30:00+01:00", ["03-29 01:30"]),
        # 02:00 to 03:00 comes twice
        ("30 2 * * ? *", "2026-10-24T12:00:00+02:00", ["10-25 00:30"]),
        ("30 * * * ? *", "2026-10-25T02:30:00+02:00", ["10-25 02:30"]),
        ("30 * * * ? *", "2026-10-25T02:10:00+01:00", ["10-25 02:30"]),
    ],
)
def test_where_clocks_are_changed_no_run_is_told_that_does_not_come(cron: str, after: str, runs: list[str]) -> None:
    assert next_runs(cron, after, "Europe/Berlin", count=1) == runs


@pytest.mark.parametrize("cron", ["1 * * * ? 2027", "1 * * * ?", "61 * * * ? *"])
def test_a_cron_it_cannot_tell_the_runs_of_is_named(cron: str) -> None:
    with pytest.raises(Trouble, match="cannot tell"):
        next_runs(cron, "2026-11-18T00:30:00+08:00")


def test_starts_are_counted_where_they_fall_together() -> None:
    found = [
        scheduled(Job("a", "a", "0 3 * * ? *"), "0 3 * * ? *"),
        scheduled(Job("b", "b", "0 4 * * ? *"), "0 4 * * ? *"),
    ]
    assert starts(found, TAIPEI, NOW)[0] == 1
    assert starts([*found, scheduled(Job("c", "c", "0 * * * ? *"), "0 * * * ? *")], TAIPEI, NOW)[0] == 2


def test_before_staggering_all_start_at_once_and_after_it_one_a_minute() -> None:
    told = timetable_of(hourly(30), TAIPEI, NOW, 0).starts
    assert (told.before[0], max(told.before[1:])) == (30, 0)
    assert sorted(told.after) == [0] * 30 + [1] * 30


def test_each_job_is_told_with_its_next_three_runs_on_both_clocks() -> None:
    (job,) = timetable_of([scheduled(PLAN)], TAIPEI, NOW, 0).jobs
    assert [run.local for run in job.next_runs] == [
        datetime(2026, 11, 18, hour, 1, tzinfo=TAIPEI) for hour in (1, 2, 3)
    ]
    assert [run.utc for run in job.next_runs] == [datetime(2026, 11, 17, hour, 1, tzinfo=UTC) for hour in (17, 18, 19)]


def test_a_disabled_job_neither_runs_nor_starts() -> None:
    told = timetable_of([scheduled(PLAN, enabled=False)], TAIPEI, NOW, 0)
    assert told.jobs[0].next_runs == []
    assert max(told.starts.after) == 0


def test_what_if_adds_imaginary_jobs_and_tells_which_would_move() -> None:
    found = [scheduled(PLAN), scheduled(SWEEP), *hourly(20)]
    what_if = timetable_of(found, TAIPEI, NOW, 25).what_if
    assert what_if is not None
    assert max(what_if.starts.before) == 46
    assert max(what_if.starts.after) == 1
    assert "plan" not in what_if.moved
    assert len(what_if.moved) < 10


def test_the_picture_has_a_bar_for_each_minute() -> None:
    assert bars([0, 1, 4, 8], 8) == " ▁▄█"
    assert bars([1, 900], 900) == "▁█"


def test_a_terminal_of_80_columns_shows_it_whole(capsys: pytest.CaptureFixture[str]) -> None:
    show(timetable_of([scheduled(PLAN), scheduled(SWEEP), scheduled(SWEEP, enabled=False)], TAIPEI, NOW, 30))
    told = capsys.readouterr().out
    assert "2026-11-18 01:01" in told
    assert "11-17 17:01" in told
    assert "disabled" in told
    assert "With 30 more" in told
    assert max(map(len, told.splitlines())) <= 80
