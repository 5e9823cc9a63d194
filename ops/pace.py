"""How fast a command works: what it asks for must not overrun those who have to do it."""

import time
from collections.abc import Callable


class Pace:
    """At most so many a second, evenly."""

    def __init__(
        self,
        per_second: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._between = 1 / per_second
        self._clock = clock
        self._sleep = sleep
        self._next = clock()

    def wait(self) -> None:
        """Until the next one's time has come. Time that was lost is not made up for."""
        if (early := self._next - self._clock()) > 0:
            self._sleep(early)
        self._next = max(self._next, self._clock()) + self._between
