"""The queues by which offline orders go from file to file and from batch to batch."""

from functools import cache

from adapters.queues import SqsBatchQueue, SqsCollectQueue
from bootstrap.clients import sqs
from bootstrap.settings import setting


@cache
def collections() -> SqsCollectQueue:
    return SqsCollectQueue(sqs(), setting("COLLECT_QUEUE"))


@cache
def batches() -> SqsBatchQueue:
    return SqsBatchQueue(sqs(), setting("MATCH_QUEUE"))
