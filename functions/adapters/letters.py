"""Dead letters in AWS: the queue that steps send them by, and where they are kept for good."""

from typing import TYPE_CHECKING

import msgspec

from adapters.items import Item
from rewards.letters import Letter

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

ERROR_LENGTH = 300


class SqsLetters:
    """The queue of letters, which `park` drains."""

    def __init__(self, client: "SQSClient", queue: str) -> None:
        self._client = client
        self._queue = queue

    def send(self, letter: Letter) -> None:
        self._client.send_message(QueueUrl=self._queue, MessageBody=msgspec.json.encode(letter).decode())


class KeptLetters:
    """Letters whole in a bucket, and in a table a thin item of each, by day, to find them by."""

    def __init__(self, s3: "S3Client", bucket: str, dynamodb: "DynamoDBClient", table: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._dynamodb = dynamodb
        self._table = table

    def keep(self, letter: Letter) -> None:
        """Keep a letter; the same one again changes nothing. The object comes first, so no item points nowhere."""
        self._s3.put_object(
            Bucket=self._bucket,
            Key=_key(letter),
            Body=msgspec.json.encode(letter),
            ContentType="application/json",
        )
        self._dynamodb.put_item(TableName=self._table, Item=_item(letter))


def _item(letter: Letter) -> Item:
    fields = {
        "Day": letter.day,
        "Letter": f"{letter.first_failed_at:%Y-%m-%dT%H:%M:%S.%fZ}#{letter.id}",
        "Kind": letter.kind,
        "Step": letter.step,
        "Shop": letter.shop_id,
        "Order": letter.order_group,
        "Promotion": letter.promotion_id,
        "Error": letter.error and letter.error[:ERROR_LENGTH],
        "Key": _key(letter),
    }
    return {name: {"S": value} for name, value in fields.items() if value} | {"v": {"N": str(letter.v)}}


def _key(letter: Letter) -> str:
    return f"letters/{letter.day}/{letter.id}.json"
