"""The guard of a provider: how the workers of a step keep to its breaker, and tell it what came of their calls."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from rewards.breaker import Breaker, Breakers, Provider
from rewards.claiming import Claim
from rewards.ledger import DECISIONS_MAX
from rewards.outcomes import BreakerOpen, OfReward
from rewards.provider import NotNow, Unknown
from rewards.reward import RewardId

Answer = TypeVar("Answer")


class Guard:
    """One invocation's. It reads the breaker before the first reward, and once more when somebody else has written it.

    So what it knows may be as old as the invocation: a worker that missed the opening finds out by the first failure it
    would count, and one that missed the closing leaves some rewards to the sweep.
    """

    def __init__(self, provider: Provider, breakers: Breakers, now: Callable[[], datetime]) -> None:
        self._provider = provider
        self._breakers = breakers
        self._now = now
        self._known: Breaker | None = None

    def heeding(self, work: Callable[[RewardId], OfReward]) -> Callable[[RewardId], OfReward]:
        """`work`, but only while the provider may be called: otherwise the row is not even claimed."""

        def heeded(id: RewardId) -> OfReward:
            return work(id) if self._may_call() else BreakerOpen(id)

        return heeded

    def telling(self, call: Callable[[Claim], Answer]) -> Callable[[Claim], Answer | Unknown]:
        """`call`, but the breaker learns what came of it.

        What it raises, such as a secret that cannot be read, is no answer either: else nobody would count it, and the
        sweep would bring the row back for ever.
        """

        def told(claim: Claim) -> Answer | Unknown:
            answer: Answer | Unknown
            try:
                answer = call(claim)
            except Exception as error:
                answer = Unknown(f"{type(error).__name__}: {error}")
            self._learn(answer, is_first=not claim.row.attempts)
            return answer

        return told

    def _may_call(self) -> bool:
        breaker = self._breaker()
        if breaker.probe_at is None:
            return True
        now = self._now()
        return breaker.allows(now) and self._write(breaker, breaker.probed(now))

    def _learn(self, answer: object, *, is_first: bool) -> None:
        for _ in range(DECISIONS_MAX):
            before = self._breaker()
            if isinstance(answer, NotNow | Unknown):
                after = before.failed(answer, self._now(), is_first=is_first)
            else:
                after = before.answered()
            if after == before or self._write(before, after):
                return

    def _breaker(self) -> Breaker:
        self._known = self._known or self._breakers.breaker(self._provider)
        return self._known

    def _write(self, before: Breaker, after: Breaker) -> bool:
        is_written = self._breakers.write_breaker(self._provider, before, after)
        self._known = after if is_written else None
        return is_written
