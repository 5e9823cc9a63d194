"""The files that shops send."""

from functools import cache

from adapters.crm_files import S3CrmFiles
from bootstrap.clients import s3
from bootstrap.settings import setting


@cache
def crm_files() -> S3CrmFiles:
    return S3CrmFiles(s3(), setting("IMPORT_BUCKET"))
