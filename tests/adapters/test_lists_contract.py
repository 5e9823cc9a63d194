"""What lists of rewards promise, in memory and in S3."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from adapters.lists import S3TaskLists
from rewards.tasks import Group
from tests.fakes.lists import MemoryLists

LARGE = Group("1", "M#1會員", "28343", tuple(f"TG{number}" for number in range(30)))


@pytest.fixture(params=["memory", "s3"])
def lists(request: pytest.FixtureRequest) -> Iterator[MemoryLists | S3TaskLists]:
    if request.param == "memory":
        yield MemoryLists()
        return
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="tasks")
        yield S3TaskLists(client, "tasks")


def test_a_list_reads_back_as_it_was_written(lists: MemoryLists | S3TaskLists) -> None:
    lists.write("reward/2026-12-01T16:00Z/abc.json", LARGE)
    lists.write("reward/2026-12-01T16:00Z/abc.json", LARGE)
    assert lists.read("reward/2026-12-01T16:00Z/abc.json") == LARGE


def test_a_list_that_is_not_there_is_told(lists: MemoryLists | S3TaskLists) -> None:
    with pytest.raises(LookupError):
        lists.read("reward/2026-12-01T16:00Z/abc.json")
