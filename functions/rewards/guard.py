"""The guard of a provider: how the workers of a step keep to its breaker, and tell it what came of their calls."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from rewards.breaker import Breaker, Breakers, Provider
from rewards.claiming import Claim
from rewards.ledger import DECISIONS_MAX
from rewards.outcomes import BreakerOpen, OfReward
from rewards.pooling import Asking
from rewards.provider import NotNow, Unknown
from rewards.reward import RewardId

Answer = TypeVar("Answer")
Outcomes = Mapping[RewardId, OfReward | Exception]
Crew = Callable[[Sequence[RewardId]], Outcomes]


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

    def heeding(self, work: Crew, together: int) -> Crew:
        """`work`, for as many of the rewards, of the first ones, as the provider may be called for now.

        Those are `together`, or a single one that probes; where there is none, the next row is not even claimed.
        """

        def heeded(ids: Sequence[RewardId]) -> Outcomes:
            some = ids[: self._how_many(together)]
            return work(some) if some else {id: BreakerOpen(id) for id in ids[:1]}

        return heeded

    def telling(self, asking: Asking[Claim, Answer]) -> Asking[Claim, Answer | Unknown]:
        """The same question, but the breaker learns what was answered.

        What it raises, such as a secret that cannot be read, is no answer either: else nobody would count it, and the
        sweep would bring the row back for ever.
        """

        def told(claims: Sequence[Claim]) -> list[Answer | Unknown]:
            try:
                answers = asking.ask(claims)
            except Exception as error:
                answers = [error] * len(claims)
            known = [_no_answer(answer) if isinstance(answer, Exception) else answer for answer in answers]
            self._learn([(answer, not claim.row.attempts) for answer, claim in zip(known, claims, strict=True)])
            return known

        return Asking(told, asking.together)

    def _how_many(self, together: int) -> int:
        """How many rewards may be worked on before the provider is heard of."""
        breaker = self._breaker()
        if breaker.probe_at is None:
            return together
        now = self._now()
        return 1 if breaker.allows(now) and self._write(breaker, breaker.probed(now)) else 0

    def _learn(self, answers: Sequence[tuple[object, bool]]) -> None:
        """Of each answer in turn, and whether it was the first one for its reward."""
        for _ in range(DECISIONS_MAX):
            before = after = self._breaker()
            for answer, is_first in answers:
                if isinstance(answer, NotNow | Unknown):
                    after = after.failed(answer, self._now(), is_first=is_first)
                else:
                    after = after.answered()
            if replace(after, version=before.version) == before or self._write(before, after):
                return

    def _breaker(self) -> Breaker:
        self._known = self._known or self._breakers.breaker(self._provider)
        return self._known

    def _write(self, before: Breaker, after: Breaker) -> bool:
        is_written = self._breakers.write_breaker(self._provider, before, after)
        self._known = after if is_written else None
        return is_written


def _no_answer(error: Exception) -> Unknown:
    return Unknown(f"{type(error).__name__}: {error}")
