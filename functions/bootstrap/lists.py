"""Lists of rewards too long for a message."""

from functools import cache

from adapters.lists import S3TaskLists
from bootstrap.clients import s3
from bootstrap.settings import setting


@cache
def task_lists() -> S3TaskLists:
    return S3TaskLists(s3(), setting("TASKS_BUCKET"))
