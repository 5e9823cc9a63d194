"""What a stream could not deliver lies in a bucket; each record of it becomes a letter that can be replayed."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO

import boto3
import msgspec
import pytest
from hypothesis import given
from moto import mock_aws

from adapters.set_aside import SetAside
from rewards.letters import Letter
from rewards.messages import Message
from tests.builders import ORDERED_AT
from tests.rewards.spoilt import anything, spoilt

PUBLISH = "arn:aws:lambda:ap-northeast-1:123456789012:function:Rewards-publish"
KEY = "aws/lambda/6f0e/shardId-0001/2026/12/01/2026-12-01T04.00.00-77a1"


def a_record(number: int = 1, item: str = "REWARD#28343") -> str:
    """As the stream wrote it, down to the spaces and the last zero of a number."""
    keys = f'{{"Order": {{"S": "1#TG{number}"}}, "Item": {{"S": "{item}"}}}}'
    return f'{{"eventID": "e-{number}", "dynamodb": {{"Keys": {keys}, "ApproximateCreationDateTime": 1764561600.50}}}}'


def an_invocation(*records: str, whole: bool = False) -> str:
    """What Lambda writes; the batch is text in it, or (`whole`) stands in it as it is."""
    batch = f'{{"Records": [{", ".join(records)}]}}'
    told = {
        "requestContext": {
            "requestId": "316aa6d0",
            "functionArn": PUBLISH,
            "condition": "RetryAttemptsExhausted",
            "approximateInvokeCount": 11,
        },
        "version": "1.0",
        "timestamp": "2026-12-01T04:00:00.123Z",
        "DDBStreamBatchInfo": {"approximateArrivalOfFirstRecord": "2026-12-01T03:59:00Z", "batchSize": len(records)},
        "payload": "BATCH" if whole else batch,
    }
    return json.dumps(told).replace('"BATCH"', batch)


class Bucket:
    def __init__(self) -> None:
        self._s3 = boto3.client("s3")
        self._s3.create_bucket(Bucket="letters", CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
        self._set_aside = SetAside(self._s3, "letters")

    def put(self, body: str, key: str = KEY) -> None:
        self._s3.put_object(Bucket="letters", Key=key, Body=body.encode())

    def letters(self, body: str, ahead: timedelta = timedelta(0)) -> list[Letter] | None:
        message = Message(
            id="m-1", body=body, queue="q", source="q", receipt="r", attempts=1, first_received_at=ORDERED_AT
        )
        return self._set_aside.letters_told_of(message, ahead=ahead)


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with mock_aws():
        yield Bucket()


def told(*keys: str) -> str:
    """S3's message about new objects; it writes keys as they stand in a URL."""
    records = [{"eventSource": "aws:s3", "s3": {"bucket": {"name": "letters"}, "object": {"key": key}}} for key in keys]
    return json.dumps({"Records": records})


@pytest.mark.parametrize("whole", [False, True])
def test_a_record_becomes_a_letter_with_all_it_takes_to_replay_it_and_to_find_the_order(
    bucket: Bucket, whole: bool
) -> None:
    bucket.put(an_invocation(a_record(), whole=whole))
    letters = bucket.letters(told(KEY))
    assert letters
    (letter,) = letters
    assert (letter.kind, letter.step, letter.source) == ("exhausted", "Rewards-publish", PUBLISH)
    assert (letter.attempts, letter.error, letter.id) == (11, "RetryAttemptsExhausted", "e-1-Rewards-publish")
    assert letter.body == a_record()
    assert (letter.shop_id, letter.order_group, letter.promotion_id) == ("1", "TG1", "28343")
    assert letter.first_failed_at == datetime(2026, 12, 1, 3, 59, tzinfo=UTC)
    assert letter.failed_at == datetime(2026, 12, 1, 4, 0, 0, 123_000, tzinfo=UTC)


def test_its_times_are_by_the_steps_clock_though_lambda_knows_real_time_only(bucket: Bucket) -> None:
    bucket.put(an_invocation(a_record()))
    (letter,) = bucket.letters(told(KEY), ahead=timedelta(days=40)) or []
    assert letter.first_failed_at == datetime(2027, 1, 10, 3, 59, tzinfo=UTC)
    assert letter.failed_at == datetime(2027, 1, 10, 4, 0, 0, 123_000, tzinfo=UTC)


def test_each_record_of_a_batch_becomes_a_letter_and_told_twice_the_same_ones(bucket: Bucket) -> None:
    bucket.put(an_invocation(a_record(1), a_record(2), a_record(3, item="ORDER")))
    letters = bucket.letters(told(KEY))
    assert letters
    assert [(each.order_group, each.promotion_id) for each in letters] == [
        ("TG1", "28343"),
        ("TG2", "28343"),
        (None,) * 2,
    ]
    assert bucket.letters(told(KEY)) == letters


def test_a_key_is_read_as_a_url_has_it_and_a_message_may_tell_of_several(bucket: Bucket) -> None:
    bucket.put(an_invocation(a_record(1)), "aws/lambda/a b:c")
    bucket.put(an_invocation(a_record(2)))
    letters = bucket.letters(told("aws/lambda/a+b%3Ac", KEY))
    assert letters
    assert [each.order_group for each in letters] == ["TG1", "TG2"]


def test_s3_tries_out_the_queue_and_tells_of_nothing(bucket: Bucket) -> None:
    assert bucket.letters('{"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "letters"}') == []


@pytest.mark.parametrize("body", ["", "no JSON", "[]", '{"Records": []}', '{"Records": [{"eventSource": "aws:sqs"}]}'])
def test_any_other_message_is_none_of_its(bucket: Bucket, body: str) -> None:
    assert bucket.letters(body) is None


def test_an_object_nobody_can_read_is_an_error_so_that_its_message_stays(bucket: Bucket) -> None:
    bucket.put("half an obj")
    with pytest.raises(msgspec.DecodeError):
        bucket.letters(told(KEY))


@given(spoilt(json.loads(told(KEY, KEY))).map(json.dumps) | anything)
def test_whatever_comes_instead_of_a_word_from_s3_is_no_such_message_or_names_objects(body: str) -> None:
    asked: list[str] = []

    class Client:
        """A bucket that has everything."""

        def get_object(self, **of: str) -> dict[str, BytesIO]:
            asked.append(of["Key"])
            return {"Body": BytesIO(an_invocation(a_record()).encode())}

    message = Message(id="m", body=body, queue="q", source="q", receipt="r", attempts=1, first_received_at=ORDERED_AT)
    letters = SetAside(Client(), "letters").letters_told_of(message, ahead=timedelta(0))
    assert letters is None or len(letters) == len(asked)


@pytest.mark.parametrize("record", [{}, {"s3": {}}, {"s3": {"object": {"key": 1}}}, 1, None])
def test_a_word_of_which_a_part_names_no_object_is_kept_itself(bucket: Bucket, record: object) -> None:
    bucket.put(an_invocation(a_record()))
    records = [*json.loads(told(KEY))["Records"], record]
    assert bucket.letters(json.dumps({"Records": records})) is None
