"""The files of shops in S3, with their summaries and the rows that were set aside."""

from collections.abc import Iterable
from io import BufferedReader, BytesIO, RawIOBase
from typing import TYPE_CHECKING, cast

import msgspec
from botocore.exceptions import ClientError

from rewards.crm_files import CrmFile, Replaced, Summary
from rewards.crm_orders import Reject

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectsV2OutputTypeDef

BUFFER_BYTES = 256 * 1024


class S3CrmFiles:
    """The port `rewards.crm_files.Files` over one bucket."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def folders(self, prefix: str) -> list[str]:
        pages = self._pages(prefix)
        found = [folder["Prefix"] for page in pages for folder in page.get("CommonPrefixes", [])]
        return [folder.removeprefix(prefix).removesuffix("/") for folder in found]

    def files(self, folder: str) -> list[CrmFile]:
        found = [item for page in self._pages(folder) for item in page.get("Contents", [])]
        return [
            CrmFile(item["Key"], item["ETag"].strip('"'), item["Size"])
            for item in found
            if not item["Key"].endswith("/")  # what a console makes of an empty folder
        ]

    def summary(self, file: CrmFile) -> Summary | None:
        try:
            body = self._client.get_object(Bucket=self._bucket, Key=file.summary_key)["Body"].read()
        except self._client.exceptions.NoSuchKey:
            return None
        return msgspec.json.decode(body, type=Summary)

    def open(self, file: CrmFile, start: int) -> BufferedReader:
        """One request, of which as much is fetched as is read. Of an empty file S3 has no range."""
        if not file.size:
            return BufferedReader(BytesIO())
        try:
            found = self._client.get_object(
                Bucket=self._bucket, Key=file.key, IfMatch=f'"{file.etag}"', Range=f"bytes={start}-"
            )
        except ClientError as error:
            if error.response["Error"]["Code"] in ("NoSuchKey", "PreconditionFailed"):
                raise Replaced(file.key) from None
            raise
        return BufferedReader(cast(RawIOBase, found["Body"]), BUFFER_BYTES)  # raw enough: it has `readinto`

    def write_summary(self, file: CrmFile, summary: Summary) -> None:
        self._put(file.summary_key, msgspec.json.format(msgspec.json.encode(summary)))

    def write_rejects(self, key: str, rejects: list[Reject]) -> None:
        self._put(key, b"\n".join(map(msgspec.json.encode, rejects)) + b"\n")

    def rejects(self, summary: Summary) -> list[Reject]:
        """The rows that were set aside of the file that the summary is of, for an operator."""
        parts = self.files(summary.rejects) if summary.rejects else []
        bodies = (self._client.get_object(Bucket=self._bucket, Key=part.key)["Body"].read() for part in parts)
        return [reject for body in bodies for reject in msgspec.json.Decoder(Reject).decode_lines(body)]

    def _pages(self, prefix: str) -> "Iterable[ListObjectsV2OutputTypeDef]":
        return self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix, Delimiter="/")

    def _put(self, key: str, body: bytes) -> None:
        self._client.put_object(Bucket=self._bucket, Key=key, Body=body, ContentType="application/json")
