"""Points in memory: once per key, and the first final answer stands."""

from collections import Counter
from collections.abc import Callable, Sequence

from rewards.provider import Done, Member, NotNow, PointsGrant, PointsProvider, Refused, Unknown

Spoilt = Refused | NotNow | Unknown


def grant_one(provider: PointsProvider, key: str, member: Member, points: int, reason: str = "28343") -> Done | Spoilt:
    """A grant by itself."""
    (answer,) = provider.grant_all([PointsGrant(key, member, points, reason)])
    return answer


class MemoryPoints:
    """A provider whose next calls can be spoilt: `die_before` of them raise with nothing done, as when the worker dies,
    `lose_replies` of them are done but not told, and those answered with `instead` are not done.

    `meanwhile` happens once, after the work of a call is done and before its caller hears of it.
    """

    together = 250

    def __init__(self) -> None:
        self.balances: Counter[Member] = Counter()
        self.entries: dict[str, int] = {}
        self.lose_replies = 0
        self.die_before = 0
        self.instead: list[Spoilt] = []
        self.meanwhile: Callable[[], object] | None = None

    def balance(self, member: Member) -> int:
        return self.balances[member]

    def grant_all(self, grants: Sequence[PointsGrant]) -> list[Done | Spoilt]:
        return [self.grant(grant) for grant in grants]

    def grant(self, grant: PointsGrant) -> Done | Spoilt:
        self._die()
        if not self.instead and grant.key not in self.entries:
            self.entries[grant.key] = grant.points
            self.balances[grant.member] += grant.points
        return self._told(self.entries.get(grant.key, 0))

    def reclaim(self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool) -> Done | Spoilt:
        self._die()
        if not self.instead and key not in self.entries:
            collected = points if allow_debt else max(0, min(points, self.balances[member]))
            self.entries[key] = -collected
            self.balances[member] -= collected
        return self._told(-self.entries.get(key, 0))

    def _die(self) -> None:
        if self.die_before:
            self.die_before -= 1
            raise ConnectionError("died before the call")

    def _told(self, points: int) -> Done | Spoilt:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        if self.instead:
            return self.instead.pop(0)
        if self.lose_replies:
            self.lose_replies -= 1
            return Unknown("the reply was lost")
        return Done(points)
