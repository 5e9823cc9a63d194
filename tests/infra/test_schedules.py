"""What runs by the clock, and what becomes of a run that fails."""

import json

import pytest

from tests.infra.template import CONTEXT, Template, synthesize

SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"


@pytest.mark.parametrize(
    ("schedule", "expression", "zone", "event"),
    [
        ("Planning/Rewards", "cron(1 * * * ? *)", "Asia/Taipei", {"kind": "reward", "execute_time": SCHEDULED_TIME}),
        (
            "Planning/Recycles",
            "cron(30 10 * * ? *)",
            "Asia/Taipei",
            {"kind": "recycle", "execute_time": SCHEDULED_TIME},
        ),
        ("Sweeping/EveryTenMinutes", "rate(10 minutes)", "Etc/UTC", {"execute_time": SCHEDULED_TIME}),
    ],
)
def test_a_step_is_called_with_the_time_it_is_meant_for(
    dev: Template, schedule: str, expression: str, zone: str, event: dict[str, str]
) -> None:
    found = dev.all("AWS::Scheduler::Schedule")[schedule]
    assert found["ScheduleExpression"] == expression
    assert found["ScheduleExpressionTimezone"] == zone
    assert json.loads(found["Target"]["Input"]) == event


def test_there_is_no_other_schedule(dev: Template) -> None:
    assert len(dev.all("AWS::Scheduler::Schedule")) == 3


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
        "Planning/plan/Function": (2, "Planning/FailedPlans"),
        "Sweeping/sweep/Function": (2, "Sweeping/FailedSweeps"),
    }


def test_a_shorter_period_is_planned_at_each_first_minute() -> None:
    template = synthesize(rewards=CONTEXT["rewards"] | {"dispatch_period_minutes": 20})
    assert (
        template.all("AWS::Scheduler::Schedule")["Planning/Rewards"]["ScheduleExpression"] == "cron(1,21,41 * * * ? *)"
    )
