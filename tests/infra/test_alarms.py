"""Each alarm counts something that is counted, tells somebody, and has a line in the runbook."""

import re
from pathlib import Path
from typing import get_args

import pytest

from infra.alarms import LETTERS_IN_A_DAY, LETTERS_IN_A_MINUTE, OVERDUE_MINUTES, QUEUES_IN_AN_ALARM
from rewards import outcomes
from rewards.letters import FailureKind
from tests.infra.template import CONTEXT, Properties, Template

PROJECT = Path(__file__).parents[2]


def alarms(template: Template) -> dict[str, Properties]:
    found = template.all("AWS::CloudWatch::Alarm")
    return {name.removeprefix("Alarms/"): alarm for name, alarm in found.items()}


def queues_of(template: Template, alarm: Properties) -> set[str]:
    return {
        template.target({"Ref": metric["MetricStat"]["Metric"]["Dimensions"][0]["Value"]["Fn::GetAtt"][0]})
        for metric in alarm["Metrics"]
        if "MetricStat" in metric
    }


def test_the_runbook_has_a_line_for_each_alarm_and_no_other(dev: Template) -> None:
    first_cells = re.findall(r"^\| (`.+?) \|", (PROJECT / "docs" / "runbook.md").read_text(), re.MULTILINE)
    assert sorted(name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)) == sorted(alarms(dev))


def test_every_alarm_tells_whoever_is_on_call_and_only_a_flood_wakes_them(dev: Template) -> None:
    for name, alarm in alarms(dev).items():
        topic = "Alarms/Incidents" if name.endswith("Flood") else "Alarms/Topic"
        assert [dev.target(action) for action in alarm["AlarmActions"]] == [topic]


def test_each_kind_of_letter_has_an_alarm_for_a_few_a_day_and_one_for_many_a_minute(dev: Template) -> None:
    assert LETTERS_IN_A_DAY.keys() == set(get_args(FailureKind))
    for kind, letters in LETTERS_IN_A_DAY.items():
        ticket, incident = (alarms(dev)[f"{kind.capitalize()}Letters{rest}"] for rest in ("", "Flood"))
        assert (ticket["Period"], ticket["Threshold"]) == (24 * 3600, letters)
        assert (incident["Period"], incident["Threshold"]) == (60, LETTERS_IN_A_MINUTE)
        assert ticket["MetricName"] == incident["MetricName"] == f"{kind.capitalize()}Letter"


def test_what_is_counted_under_a_service_is_counted_by_that_step(dev: Template) -> None:
    steps = (PROJECT / "functions" / "steps").glob("*.py")
    of_all = (PROJECT / "functions" / "telemetry.py").read_text()
    code = {path.stem: path.read_text() + of_all for path in steps}
    for alarm in alarms(dev).values():
        if alarm.get("Namespace") == "Rewards":
            (service,) = alarm["Dimensions"]
            name = alarm["MetricName"]
            assert service["Name"] == "service"
            assert name in code[service["Value"]] or hasattr(outcomes, name) or name.endswith("Letter")


@pytest.mark.parametrize("what", ["Grant", "Recycle"])
def test_what_is_overdue_for_hours_rings_by_the_oldest_and_rings_on_while_the_sweep_does_not_look(
    dev: Template, what: str
) -> None:
    alarm = alarms(dev)[f"Overdue{what}s"]
    assert (alarm["Statistic"], alarm["Threshold"], alarm["TreatMissingData"]) == ("Maximum", OVERDUE_MINUTES, "ignore")


def test_planning_is_missed_after_two_periods(dev: Template) -> None:
    alarm = alarms(dev)["NothingPlanned"]
    assert alarm["Period"] == 60 * CONTEXT["rewards"]["dispatch_period_minutes"]
    assert alarm["EvaluationPeriods"] == 2
    assert alarm["TreatMissingData"] == "breaching"


def test_no_queue_grows_old_unseen(dev: Template) -> None:
    watched = [queues_of(dev, alarm) for name, alarm in alarms(dev).items() if name.startswith("Old")]
    assert set.union(*watched) == dev.all("AWS::SQS::Queue").keys()
    assert max(map(len, watched)) <= QUEUES_IN_AN_ALARM
