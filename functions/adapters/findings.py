"""The findings of the audit, kept in a bucket: one object for each write they are about."""

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from rewards.auditing.finding import Finding

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PREFIX = "open/"
"""Where they lie until someone has seen to them and taken them away."""


class S3Findings:
    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def keep(self, findings: Iterable[Finding]) -> None:
        """Keep them all. Kept again, what is about the same write lies under the same name."""
        for (about, version), some in groupby(findings, key=lambda each: (each.about, each.version)):
            body = msgspec.json.encode(list(some))
            self._client.put_object(Bucket=self._bucket, Key=f"{PREFIX}{about}/{version}.json", Body=body)

    def open(self) -> list[Finding]:
        """All that nobody has taken away."""
        found: list[Finding] = []
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=PREFIX)
        for key in (kept["Key"] for page in pages for kept in page.get("Contents", [])):
            body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
            found += msgspec.json.decode(body, type=list[Finding])
        return found
