"""Where letters are kept: whole in a bucket, and found by day in a table."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import msgspec
import pytest
from moto import mock_aws
from msgspec.structs import replace

from adapters.letters import KeptLetters
from rewards.letters import Letter
from tests.fakes.tables import make_letters_table

LETTER = Letter(
    id="m-1",
    kind="exhausted",
    step="book",
    source="arn:aws:sqs:ap-northeast-1:123456789012:BookQueue",
    body="{}",
    attempts=12,
    error="RuntimeError: no table",
    first_failed_at=datetime(2026, 11, 30, 23, 59, 59, 500000, tzinfo=UTC),
    failed_at=datetime(2026, 12, 1, 4, tzinfo=UTC),
    service_version="0.1.0",
    shop_id="1",
    order_group="TG1",
    promotion_id="28343",
)


class Kept:
    """What lies in the bucket and the table."""

    def __init__(self) -> None:
        self._s3, self._dynamodb = boto3.client("s3"), boto3.client("dynamodb")
        self._s3.create_bucket(Bucket="letters", CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
        make_letters_table(self._dynamodb, "letters")
        self.letters = KeptLetters(self._s3, "letters", self._dynamodb, "letters")

    def items(self) -> list[dict[str, Any]]:
        return [
            {name: next(iter(value.values())) for name, value in item.items()}
            for item in self._dynamodb.scan(TableName="letters")["Items"]
        ]

    def whole(self, item: dict[str, Any]) -> Letter:
        body = self._s3.get_object(Bucket="letters", Key=item["Key"])["Body"].read()
        return msgspec.json.decode(body, type=Letter)


@pytest.fixture
def kept() -> Iterator[Kept]:
    with mock_aws():
        yield Kept()


def test_a_letter_is_found_by_the_day_it_first_failed_and_read_whole(kept: Kept) -> None:
    kept.letters.keep(LETTER)
    (item,) = kept.items()
    assert item == {
        "Day": "2026-11-30",
        "Letter": "2026-11-30T23:59:59.500000Z#m-1",
        "OpenKind": "exhausted",
        "Kind": "exhausted",
        "Step": "book",
        "Shop": "1",
        "Order": "TG1",
        "Promotion": "28343",
        "Error": "RuntimeError: no table",
        "Key": "letters/2026-11-30/m-1.json",
        "TimesRedriven": "0",
        "v": "1",
    }
    assert kept.whole(item) == LETTER


def test_the_same_letter_again_is_one_letter(kept: Kept) -> None:
    for hours in range(2):
        kept.letters.keep(replace(LETTER, failed_at=LETTER.failed_at + timedelta(hours=hours)))
    assert len(kept.items()) == 1


def test_what_is_not_known_is_not_in_the_table(kept: Kept) -> None:
    kept.letters.keep(replace(LETTER, shop_id=None, order_group="", promotion_id=None, error=None))
    assert set(kept.items()[0]) == {"Day", "Letter", "OpenKind", "Kind", "Step", "Key", "TimesRedriven", "v"}


def test_a_long_error_is_whole_in_the_bucket_only(kept: Kept) -> None:
    kept.letters.keep(replace(LETTER, error="x" * 10_000))
    (item,) = kept.items()
    assert len(item["Error"]) == 300
    assert kept.whole(item).error == "x" * 10_000
