"""Outlets: queues that many tasks go to, a few batches at a time while the next ones are still being packed."""

from collections import deque
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING

from adapters.queues import SqsTaskQueue
from rewards.tasks import Task

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

UNDER_WAY_MOST = 8
"""Batches that are written or on their way at once; then `send` waits for the oldest, so that memory has a bound."""


class SqsOutlet(SqsTaskQueue):
    """The ports `rewards.packing.Outlet` and `rewards.sweeping.MeasuredQueue` over one queue, for one stream of tasks.

    The calls are made by the `threads`: of a call nearly all is waiting. One that fails is told by the next `send` that
    waits, or by `flush`.
    """

    def __init__(self, client: "SQSClient", url: str, threads: Executor) -> None:
        super().__init__(client, url)
        self._threads = threads
        self._under_way: deque[Future[None]] = deque()

    def send(self, tasks: list[Task]) -> None:
        if len(self._under_way) == UNDER_WAY_MOST:
            self._under_way.popleft().result()
        self._under_way.append(self._threads.submit(super().send, tasks))

    def flush(self) -> None:
        while self._under_way:
            self._under_way.popleft().result()
