"""Workers that go on one call at a time, when a test says so.

Each is a thread that stands still before every call of a port. So two of them can be in the middle of anything, one can
stall for an hour, or die between any two calls, and it comes out the same however often it is run.
"""

from collections.abc import Callable
from contextvars import ContextVar
from threading import Semaphore, Thread
from typing import Any

at_work: ContextVar["Worker | None"] = ContextVar("at_work", default=None)


class Died(BaseException):
    """The process of a worker is gone."""


class Worker:
    """It works at a `message`; `is_done` once it has come to its end, and then `failed` with what it raised, if so."""

    def __init__(self, message: Any, work: Callable[[], object]) -> None:
        self.message = message
        self.is_done = False
        self.failed: Exception | None = None
        self._work = work
        self._is_dying = False
        self._may_go, self._stands = Semaphore(0), Semaphore(0)
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        self._stands.acquire()

    def step(self) -> None:
        """Let it make the call before which it stands, and come to the next one."""
        self._may_go.release()
        self._stands.acquire()

    def run(self) -> None:
        while not self.is_done:
            self.step()

    def die(self) -> None:
        """It makes no call any more."""
        self._is_dying = True
        self.run()
        self._thread.join()

    def stand(self) -> None:
        self._stands.release()
        self._may_go.acquire()
        if self._is_dying:
            raise Died

    def _run(self) -> None:
        at_work.set(self)
        try:
            self.stand()
            self._work()
        except Died:
            pass
        except Exception as error:
            self.failed = error
        self.is_done = True
        self._stands.release()


class Port:
    """Whatever it stands for, but a worker stands still before each call."""

    def __init__(self, port: object) -> None:
        vars(self)["_port"] = port

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return found

        def call(*args: Any, **named: Any) -> Any:
            if worker := at_work.get():
                worker.stand()
            return found(*args, **named)

        return call

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._port, name, value)
