"""Lists of rewards too long for a message, one JSON object each in S3. A lifecycle rule ends them, not this code."""

from typing import TYPE_CHECKING

import msgspec

from rewards.tasks import Group

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3TaskLists:
    """The port `rewards.tasks.TaskLists` over one bucket."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, group: Group) -> None:
        self._client.put_object(
            Bucket=self._bucket, Key=key, Body=msgspec.json.encode(group), ContentType="application/json"
        )

    def get(self, key: str) -> Group:
        """Raises botocore's NoSuchKey for a list that has been ended."""
        body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        return msgspec.json.decode(body, type=Group)
