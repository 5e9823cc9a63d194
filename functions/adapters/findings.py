"""The findings of the audit, kept in a bucket: one object for what was found in each write."""

from collections.abc import Iterable
from hashlib import blake2b
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
        """Keep them all. Kept again, what was found in the same write lies under the same name.

        The name has a digest of it: writes by hand may leave the version as it is, and one would hide the other.
        """
        for (about, version), some in groupby(findings, key=lambda each: (each.about, each.version)):
            body = msgspec.json.encode(list(some))
            name = f"{PREFIX}{about}/{version}-{blake2b(body, digest_size=8).hexdigest()}.json"
            self._client.put_object(Bucket=self._bucket, Key=name, Body=body)

    def open(self) -> list[Finding]:
        """All that nobody has taken away."""
        found: list[Finding] = []
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=PREFIX)
        for key in (kept["Key"] for page in pages for kept in page.get("Contents", [])):
            body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
            found += msgspec.json.decode(body, type=list[Finding])
        return found
