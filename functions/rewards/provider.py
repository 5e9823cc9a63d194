"""Who holds the points: the port, and the answers it can give (contract §4).

A provider's first final answer for a key stands for ever, so the same key may be asked again after any failure.
"""

from typing import Protocol

from msgspec import Struct


class Done(Struct, frozen=True):
    """It holds: these points were granted, or collected, under the key - now or earlier."""

    points: int


class Unknown(Struct, frozen=True):
    """It may have been done: a timeout, a broken connection. Ask again with the same key."""

    problem: str


Answer = Done | Unknown


class Member(Struct, frozen=True):
    """An account: equal member ids in two shops are two people."""

    shop_id: str
    member_id: str


class PointsProvider(Protocol):
    """Points of members, by idempotency key."""

    def grant(self, key: str, member: Member, points: int, reason: str) -> Answer:
        """Give the points once for this key."""

    def reclaim(self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool) -> Answer:
        """Collect up to `points` once for this key; without `allow_debt` no more than the balance."""
