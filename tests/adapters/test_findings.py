"""Findings in their bucket: none hides another, and one that is found again is there once."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from adapters.findings import S3Findings
from rewards.auditing.finding import Finding

SNAPSHOT = Finding("snapshot", "1/TG1/28343", "the rule changed", 5)
UNRECORDED = Finding("unrecorded", "1/TG1/28343", "points changed", 5)
OTHER = Finding("orphan", "1/TG2/28343", "no order")


@pytest.fixture
def kept() -> Iterator[S3Findings]:
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="findings")
        yield S3Findings(s3, "findings")


def test_what_two_writes_of_one_version_show_is_kept_of_both(kept: S3Findings) -> None:
    kept.keep([SNAPSHOT])
    kept.keep([UNRECORDED, OTHER])
    assert sorted(map(repr, kept.open())) == sorted(map(repr, [SNAPSHOT, UNRECORDED, OTHER]))


def test_what_is_found_again_in_the_same_write_is_kept_once(kept: S3Findings) -> None:
    for _ in range(2):
        kept.keep([SNAPSHOT, UNRECORDED])
    assert kept.open() == [SNAPSHOT, UNRECORDED]
