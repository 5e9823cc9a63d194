"""The breakers of the providers in memory, with the same rule of writing: only over what was read."""

from rewards.breaker import Breaker, Provider


class MemoryBreakers:
    def __init__(self) -> None:
        self.stored: dict[Provider, Breaker] = {}
        self.reads = 0
        self.writes = 0

    def breaker(self, provider: Provider) -> Breaker:
        self.reads += 1
        return self.stored.get(provider, Breaker())

    def write_breaker(self, provider: Provider, before: Breaker, after: Breaker) -> bool:
        self.writes += 1
        if self.stored.get(provider, Breaker()).version != before.version:
            return False
        self.stored[provider] = after
        return True
