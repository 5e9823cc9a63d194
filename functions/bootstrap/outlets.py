"""Where whole streams of tasks go."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from adapters.outlets import SqsOutlet
from bootstrap.clients import sqs
from bootstrap.settings import setting
from rewards.tasks import Queue

SENDERS = 4
"""Threads in which many messages are sent: a call of a queue is some milliseconds of waiting."""


def outlet(queue: Queue) -> SqsOutlet:
    """The queue of that name for a whole stream of tasks, of this invocation alone."""
    return SqsOutlet(sqs(), setting(f"{queue.upper()}_QUEUE"), _senders())


@cache
def _senders() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(SENDERS)
