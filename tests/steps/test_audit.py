"""The audit of the ledger's stream: silent on what is in order; what is not is kept once, however often it comes."""

import logging
from typing import Any

import boto3
import pytest
from msgspec.structs import replace

from adapters.items import reward_item
from bootstrap.auditing import findings
from bootstrap.timetable import timetable
from rewards.auditing.finding import Finding
from rewards.reward import Reward
from steps.audit import handler
from tests.builders import NOW, a_paid_order, a_reward
from tests.steps.conftest import Cloud

BOOKED = a_reward(due=None)
LOST = BOOKED.change("paid", by="test", at=NOW)


def booked() -> Reward:
    """As the timetable of the steps has it."""
    return replace(BOOKED, due=timetable().due("reward", BOOKED, now=BOOKED.changed_at))


def record(before: Reward | None, after: Reward | None, number: int = 1) -> dict[str, Any]:
    images = {"OldImage": before and reward_item(before), "NewImage": after and reward_item(after)}
    keys = {name: reward_item(BOOKED)[name] for name in ("Order", "Item")}
    told = {name: image for name, image in images.items() if image}
    return {"dynamodb": {"Keys": keys, **told, "SequenceNumber": f"{number:021}"}}


def garbled(record: dict[str, Any]) -> dict[str, Any]:
    record["dynamodb"]["OldImage"]["Status"] = {"S": "Bogus"}
    return record


def audited(cloud: Cloud, *records: dict[str, Any]) -> list[Finding]:
    assert handler({"Records": list(records)}, cloud.context()) == {"batchItemFailures": []}
    return findings().open()


def test_what_is_in_order_leaves_nothing(cloud: Cloud) -> None:
    cloud.ledger.write_order(None, a_paid_order())
    cancelled = booked().cancel("came back", by="withdraw", at=NOW)
    assert audited(cloud, record(None, booked()), record(booked(), cancelled, 2)) == []


def test_a_finding_is_kept_once_however_often_its_batch_comes(cloud: Cloud) -> None:
    for _ in range(2):
        found = audited(cloud, record(booked(), LOST))
    assert [(each.kind, each.about, each.version) for each in found] == [("lost", "1/TG20193021/28343", 2)]


def test_a_finding_is_logged_with_what_it_is_about(cloud: Cloud, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        audited(cloud, record(booked(), LOST))
    assert [(line.message, line.kind, line.about) for line in caplog.records] == [
        ("AuditFinding", "lost", "1/TG20193021/28343")
    ]


def test_the_booking_time_is_held_against_the_order(cloud: Cloud) -> None:
    cloud.ledger.write_order(None, a_paid_order(ordered_at=NOW))
    assert [each.kind for each in audited(cloud, record(None, booked()))] == ["booking time"]


def test_a_deleted_row_is_found_and_what_is_no_reward_is_not_looked_at(cloud: Cloud) -> None:
    order = record(None, None)
    order["dynamodb"] |= {"Keys": {"Item": {"S": "ORDER"}}, "NewImage": {}}
    assert [each.kind for each in audited(cloud, order, record(booked(), None, 2))] == ["gone"]


def test_a_garbled_row_is_mended_or_deleted_by_hand_without_a_word(cloud: Cloud) -> None:
    mended, deleted = garbled(record(booked(), booked())), garbled(record(booked(), None, 2))
    assert audited(cloud, mended, deleted) == []


def test_a_change_of_a_row_that_was_garbled_comes_back_until_it_is_set_aside(cloud: Cloud) -> None:
    answer = handler({"Records": [garbled(record(booked(), LOST, 7))]}, cloud.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": f"{7:021}"}]}


def test_a_batch_whose_findings_could_not_be_kept_comes_back(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    boto3.client("s3").delete_bucket(Bucket="FINDINGS_BUCKET".lower().replace("_", "-"))
    answer = handler({"Records": [record(booked(), LOST, 7)]}, cloud.context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": f"{7:021}"}]}
