"""Filed letters: each as its thin item in the table tells of it, and which of them an operator means.

A letter is open until it was redriven. The open ones stand in an index of their own by kind and time, so what an
operator asks for first is cheap however many were kept; a day's letters, open or not, stand together too.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct

from rewards.letters import FailureKind, Letter


class Filed(Struct, frozen=True, kw_only=True):
    """What is known of a letter without opening it; `error` is cut, what it does not concern is None."""

    name: str
    kind: FailureKind
    step: str
    shop_id: str | None = None
    order_group: str | None = None
    promotion_id: str | None = None
    error: str | None = None
    first_failed_at: datetime
    times_redriven: int = 0
    redriven_at: datetime | None = None
    redriven_by: str | None = None

    @property
    def sort(self) -> str:
        """Letters sort by when they first failed."""
        return sort_key(self.first_failed_at, self.name.split("/", 1)[1])


class Selection(Struct, frozen=True, kw_only=True):
    """Letters of these kinds that first failed within [since, until); what is None may be anything."""

    kinds: tuple[FailureKind, ...]
    since: datetime
    until: datetime
    step: str | None = None
    shop_id: str | None = None
    promotion_id: str | None = None

    def holds(self, letter: Filed) -> bool:
        """Whether the letter is meant; kind and time are what it was looked for by."""
        return (
            self.step in (None, letter.step)
            and self.shop_id in (None, letter.shop_id)
            and self.promotion_id in (None, letter.promotion_id)
        )


class LetterFile(Protocol):
    """Where letters are kept for good."""

    def keep(self, letter: Letter) -> None:
        """Keep a letter; the same one again changes nothing, whatever has become of it meanwhile."""

    def whole(self, name: str) -> Letter:
        """Raises LookupError if there is none of that name."""

    def filed(self, letter: Letter) -> Filed:
        """What is known of it, whether it was redriven too. Raises LookupError."""

    def open(self, selection: Selection, *, after: str | None = None) -> Iterator[Filed]:
        """Those not redriven yet, the oldest first, from behind the sort key `after` on."""

    def of_day(self, day: str) -> Iterator[Filed]:
        """All that first failed on this UTC date."""

    def claim(self, letter: Letter, *, now: datetime, until: datetime) -> bool:
        """Take an open letter until then, so that nobody else redrives it; False if somebody has it, or has done it."""

    def let_go(self, letter: Letter) -> None:
        """It is open to anyone again."""

    def close(self, letter: Letter, *, by: str, at: datetime) -> None:
        """It is redriven."""


def sort_key(first_failed_at: datetime, id: str) -> str:
    return f"{moment(first_failed_at)}#{id}"


def moment(at: datetime) -> str:
    """A time as sort keys begin with it, of one width."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
