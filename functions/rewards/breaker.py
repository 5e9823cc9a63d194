"""The breaker of a provider: when nothing gets through, the workers stop asking, but for a probe now and then.

    closed   every worker calls
      ▼      FAILURES_IN_A_ROW rewards failed that had not failed before, or the provider named a Retry-After
    open     a worker calls only if it wins the probe: one in PROBE_EVERY, and none before the Retry-After is over
      ▼      a call is answered, whatever the answer
    closed

A worker that may not call acknowledges the message and leaves the row alone: it stands in the due index, and the sweep
sends ten of those every ten minutes, so that somebody probes. A provider that is well costs a read per invocation and
no write.
"""

from datetime import datetime, timedelta
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from rewards.promotion import RewardType
from rewards.provider import NotNow, Unknown

Provider = Literal["points", "coupons"]
PROVIDERS: dict[RewardType, Provider] = {"LoyaltyPoints": "points", "ECoupon": "coupons"}

FAILURES_IN_A_ROW = 10
"""So many that a provider which answers every other call stays in use."""

PROBE_EVERY = timedelta(seconds=45)
"""Less than the minute between two messages of a sweep, so that each of them may probe."""

SHORT = timedelta(seconds=4)
"""A Retry-After that the pause of every failed message outlasts. It is no reason to turn the others away."""

LONGEST = timedelta(days=1)
"""A Retry-After beyond this is taken for a mistake, which must not stop the rewards for ever."""


class Breaker(Struct, frozen=True, omit_defaults=True, rename="pascal"):
    """How it stands with a provider; it is open while there is a time of the next probe."""

    failures: int = 0
    opened_at: datetime | None = None
    probe_at: datetime | None = None
    problem: str | None = None
    version: int = 0

    def allows(self, now: datetime) -> bool:
        """Whether a call may be made, if only as a probe."""
        return self.probe_at is None or self.probe_at <= now

    def probed(self, now: datetime) -> "Breaker":
        """Somebody asks the provider; the next one to may, should nothing be heard of that."""
        return self._next(probe_at=now + PROBE_EVERY)

    def answered(self) -> "Breaker":
        """The provider gave an answer that stands, if only to refuse."""
        return self if self == Breaker(version=self.version) else Breaker(version=self.version + 1)

    def failed(self, answer: NotNow | Unknown, now: datetime, *, is_first: bool) -> "Breaker":
        """The provider gave none. It counts only where it is the reward's first failure.

        Else a few rewards that can never succeed, which every sweep sends again, would stop all others for days.
        """
        wait = answer.retry_after if isinstance(answer, NotNow) else None
        if wait is not None and wait > SHORT:
            return self._opened(now, min(wait, LONGEST), answer.problem)
        if self.probe_at is not None or not is_first:
            return self
        if self.failures + 1 < FAILURES_IN_A_ROW:
            return self._next(failures=self.failures + 1)
        return self._opened(now, PROBE_EVERY, answer.problem)

    def _opened(self, now: datetime, wait: timedelta, problem: str) -> "Breaker":
        probe_at = max(now + wait, self.probe_at or now)
        return self._next(failures=0, opened_at=self.opened_at or now, probe_at=probe_at, problem=problem)

    def _next(self, **fields: object) -> "Breaker":
        return replace(self, version=self.version + 1, **fields)


class Breakers(Protocol):
    """Where the breakers are kept. One that was never written is closed."""

    def breaker(self, provider: Provider) -> Breaker: ...

    def write_breaker(self, provider: Provider, before: Breaker, after: Breaker) -> bool:
        """Write it over `before`; False if it is not what stands there any more."""


def shut(breakers: Breakers) -> dict[RewardType, Breaker]:
    """The reward types whose provider is not to be called, but for a probe."""
    read = {of: breakers.breaker(provider) for of, provider in PROVIDERS.items()}
    return {of: breaker for of, breaker in read.items() if breaker.probe_at}
