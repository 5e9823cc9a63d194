"""What the audit reads, and where its findings go."""

from functools import cache

from adapters.findings import S3Findings
from adapters.stream import write_in as write_in  # for the step, which knows no adapters
from bootstrap.clients import s3
from bootstrap.settings import setting


@cache
def findings() -> S3Findings:
    return S3Findings(s3(), setting("FINDINGS_BUCKET"))
