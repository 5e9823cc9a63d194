"""What runs by the clock, and what becomes of a run that fails."""

import json

import pytest

from infra.config import Config
from infra.jobs import jobs_of
from rewards.jobs import Job, minutes, staggered
from tests.infra.template import CONTEXT, Template, synthesize

CONFIG = Config.parse(CONTEXT["rewards"] | {"stage": "dev", "embedded": False})
SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"


@pytest.mark.parametrize(
    ("schedule", "expression", "event"),
    [
        ("Planning/plan/plan-rewards", "cron(1 * * * ? *)", {"kind": "reward", "execute_time": SCHEDULED_TIME}),
        ("Planning/plan/plan-recycles", "cron(30 10 * * ? *)", {"kind": "recycle", "execute_time": SCHEDULED_TIME}),
        ("Sweeping/sweep/sweep", "cron(8,18,28,38,48,58 * * * ? *)", {"execute_time": SCHEDULED_TIME}),
    ],
)
def test_a_step_is_called_with_the_time_it_is_meant_for(
    dev: Template, schedule: str, expression: str, event: dict[str, str]
) -> None:
    found = dev.all("AWS::Scheduler::Schedule")[schedule]
    assert found["ScheduleExpression"] == expression
    assert found["ScheduleExpressionTimezone"] == "Asia/Taipei"
    assert json.loads(found["Target"]["Input"]) == event


def test_every_job_has_a_schedule_and_there_is_no_other(dev: Template) -> None:
    jobs = {job.name: job for job in jobs_of(CONFIG)}
    crons = staggered(jobs.values())
    found = dev.all("AWS::Scheduler::Schedule").values()
    assert len(found) == len(jobs)
    assert {job.name: job for job in (Job.described(each["Description"]) for each in found)} == jobs
    for schedule in found:
        job = Job.described(schedule["Description"])
        assert schedule["ScheduleExpression"] == f"cron({crons[job.name]})"
        assert dev.target(schedule["Target"]["Arn"]).endswith(f"/{job.step}/Function")


def test_days_of_the_week_are_named_since_their_numbers_are_not_those_of_other_crons() -> None:
    assert not any(character.isdigit() for job in jobs_of(CONFIG) for character in job.base.split()[4])


def test_no_two_jobs_start_in_the_same_minute_of_the_hour() -> None:
    starts = [minute for cron in staggered(jobs_of(CONFIG)).values() for minute in minutes(cron)]
    assert len(starts) == len(set(starts))


def test_every_schedule_is_in_the_group_that_an_operator_is_told(dev: Template) -> None:
    groups = {dev.target(each["GroupName"]) for each in dev.all("AWS::Scheduler::Schedule").values()}
    assert groups == {"Jobs/Group"} == {dev.target(dev.outputs["ScheduleGroupName"]["Value"])}


def test_only_the_schedules_of_this_group_are_given_its_roles(dev: Template) -> None:
    trusts = [role["AssumeRolePolicyDocument"]["Statement"][0] for role in dev.all("AWS::IAM::Role").values()]
    of_schedules = [trust for trust in trusts if trust["Principal"] == {"Service": "scheduler.amazonaws.com"}]
    assert len(of_schedules) == len(dev.all("AWS::Scheduler::Schedule"))
    for trust in of_schedules:
        of = trust["Condition"]["StringEquals"]
        assert of["aws:SourceAccount"] == {"Ref": "AWS::AccountId"}
        assert ":schedule-group/JobsGroup" in dev.target(of["aws:SourceArn"])


def test_a_call_that_reaches_no_step_is_kept(dev: Template) -> None:
    for name, schedule in dev.all("AWS::Scheduler::Schedule").items():
        undelivered = dev.target(schedule["Target"]["DeadLetterConfig"]["Arn"])
        assert undelivered == f"{name.split('/')[0]}/Undelivered"


def test_a_run_that_fails_three_times_is_kept(dev: Template) -> None:
    found = {
        dev.target(config["FunctionName"]): (
            config["MaximumRetryAttempts"],
            dev.target(config["DestinationConfig"]["OnFailure"]["Destination"]),
        )
        for config in dev.all("AWS::Lambda::EventInvokeConfig").values()
    }
    assert found == {
        "Importing/collect/Function": (2, "Importing/FailedRuns"),
        "Planning/plan/Function": (2, "Planning/FailedPlans"),
        "Sweeping/sweep/Function": (2, "Sweeping/FailedSweeps"),
    }


def test_a_shorter_period_is_planned_at_each_first_minute() -> None:
    schedules = synthesize(rewards=CONTEXT["rewards"] | {"dispatch_period_minutes": 20}).all("AWS::Scheduler::Schedule")
    assert schedules["Planning/plan/plan-rewards"]["ScheduleExpression"] == "cron(1,21,41 * * * ? *)"
