"""What the bucket of the shops' files promises, in memory and in S3."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from adapters.crm_files import S3CrmFiles
from rewards.crm_files import CrmFile, Files, Replaced, Summary
from rewards.crm_orders import Reject
from tests.fakes.crm_files import MemoryFiles

BUCKET = "imports"
FOLDER = "crm/門市 #1/2026-11-30/"
KEY = FOLDER + "十一月 + 30%.csv"


class Bucket:
    """The files, and the shop that puts them there."""

    def __init__(self, files: Any, s3: Any = None) -> None:
        self.files: Files = files
        self._s3 = s3

    def put(self, content: bytes, key: str = KEY) -> CrmFile:
        if self._s3:
            self._s3.put_object(Bucket=BUCKET, Key=key, Body=content)
        else:
            self.files.put(key, content)  # type: ignore[attr-defined]
        folder = key.rsplit("/", 1)[0] + "/"
        return next(file for file in self.files.files(folder) if file.key == key)


@pytest.fixture(params=["memory", "s3"])
def bucket(request: pytest.FixtureRequest) -> Iterator[Bucket]:
    if request.param == "memory":
        yield Bucket(MemoryFiles())
        return
    with mock_aws():
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
        yield Bucket(S3CrmFiles(s3, BUCKET), s3)


def a_summary(file: CrmFile) -> Summary:
    return Summary(file=file.key, etag=file.etag, read=1, accepted=1, skipped=0, rejected=0)


def test_folders_are_named_byte_for_byte(bucket: Bucket) -> None:
    bucket.put(b"a")
    bucket.put(b"b", "crm/2/2026-11-29/a.csv")
    assert sorted(bucket.files.folders("crm/")) == ["2", "門市 #1"]
    assert bucket.files.folders("crm/門市 #1/") == ["2026-11-30"]
    assert bucket.files.folders("crm/nobody/") == []


def test_a_folder_has_its_own_files_with_their_version_and_size(bucket: Bucket) -> None:
    file = bucket.put(b"abc")
    bucket.put(b"d", FOLDER + "rejects/a.jsonl")
    assert bucket.files.files(FOLDER) == [file]
    assert (file.key, file.size) == (KEY, 3)
    assert bucket.put(b"abd").etag != file.etag


@pytest.mark.parametrize(("start", "rest"), [(0, ["a\n", "b\r\n", "茶"]), (2, ["b\r\n", "茶"]), (5, ["茶"])])
def test_a_file_is_read_from_any_byte_on(bucket: Bucket, start: int, rest: list[str]) -> None:
    file = bucket.put("a\nb\r\n茶".encode())
    with bucket.files.open(file, start) as content:
        assert [line.decode() for line in content] == rest


def test_an_empty_file_is_read_too(bucket: Bucket) -> None:
    with bucket.files.open(bucket.put(b""), 0) as content:
        assert content.read() == b""


def test_another_version_is_not_read_in_its_place(bucket: Bucket) -> None:
    file = bucket.put(b"a")
    bucket.put(b"b")
    with pytest.raises(Replaced):
        bucket.files.open(file, 0)


def test_a_file_that_is_gone_is_told(bucket: Bucket) -> None:
    with pytest.raises(Replaced):
        bucket.files.open(CrmFile(FOLDER + "nothing.csv", "etag", 1), 0)


def test_a_summary_lies_beside_its_file_and_the_rejects_in_a_folder_below(bucket: Bucket) -> None:
    file = bucket.put(b"a")
    assert bucket.files.summary(file) is None
    bucket.files.write_summary(file, a_summary(file))
    bucket.files.write_rejects(file.rejects_folder + "000000002.jsonl", [Reject(KEY, 2, "sku", "茶", "why")])
    assert bucket.files.summary(file) == a_summary(file)
    assert {each.key for each in bucket.files.files(FOLDER)} == {KEY, file.summary_key}
