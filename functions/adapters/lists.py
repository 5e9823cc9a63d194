"""Lists of rewards too long for a message, one JSON object each in S3. A lifecycle rule ends them, not this code."""

from typing import TYPE_CHECKING

import msgspec

from rewards.tasks import Group

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3TaskLists:
    """The ports `rewards.packing.Lists` and `rewards.working.Lists` over one bucket."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def write(self, key: str, group: Group) -> None:
        self._client.put_object(
            Bucket=self._bucket, Key=key, Body=msgspec.json.encode(group), ContentType="application/json"
        )

    def read(self, key: str) -> Group:
        """Raises LookupError if there is no such list, or none any more."""
        try:
            body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        except self._client.exceptions.NoSuchKey:
            raise LookupError(f"no list {key} in {self._bucket}") from None
        return msgspec.json.decode(body, type=Group)
