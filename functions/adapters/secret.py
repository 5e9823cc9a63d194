"""A secret that is read when it is first needed, and anew when it no longer opens the door."""

from collections.abc import Callable


class Secret:
    """`read` asks whoever keeps the secret; what it raises is raised here."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._value: str | None = None

    def value(self) -> str:
        if self._value is None:
            self._value = self._read().strip()
        return self._value

    def is_renewed(self) -> bool:
        """Read it anew: whether it is another one than before."""
        before, self._value = self._value, None
        return self.value() != before
