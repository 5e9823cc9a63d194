"""Who holds points and coupons: the ports, and the answers they can give (contract §4).

A provider's first final answer for a key stands for ever, so the same key may be asked again after any failure.

    Answer
    ├── final      Done | Issued | Revoked, OutOfStock, Refused
    └── not final  NotNow (nothing was done), Unknown (it may have been)
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from msgspec import Struct


class Done(Struct, frozen=True):
    """It holds: these points were granted, or collected, under the key - now or earlier."""

    points: int


class Issued(Struct, frozen=True):
    """The member holds coupons of these codes, issued under the key - now or earlier."""

    codes: tuple[str, ...]


class Revoked(Struct, frozen=True):
    """Of the codes that were asked back these are void now; the others had been used."""

    revoked: tuple[str, ...]
    used: tuple[str, ...]


class OutOfStock(Struct, frozen=True):
    """Nothing was issued under this key, and never will be."""


class Refused(Struct, frozen=True):
    """Nothing was done under this key, and never will be: a person must look at the reason."""

    reason: str


class NotNow(Struct, frozen=True):
    """Nothing was done by this call; ask again, not before `retry_after` if the provider says so."""

    problem: str
    retry_after: timedelta | None = None


class Unknown(Struct, frozen=True):
    """It may have been done: a timeout, a broken connection. Ask again with the same key."""

    problem: str


class Member(Struct, frozen=True):
    """An account: equal member ids in two shops are two people."""

    shop_id: str
    member_id: str


class PointsGrant(Struct, frozen=True):
    """Points to be given once for a key. The `reason` is the promotion."""

    key: str
    member: Member
    points: int
    reason: str


class PointsProvider(Protocol):
    """Points of members, by idempotency key.

    Grants can be asked for many at a time; `together` is how many of them the provider is best asked for at once.
    """

    together: int

    def grant_all(self, grants: Sequence[PointsGrant]) -> Sequence[Done | Refused | NotNow | Unknown]:
        """Give each of these points once for its key, of which no two are equal.

        The answers are in the order of the grants, and each is its own: one that fails spoils no other.
        """

    def reclaim(
        self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool
    ) -> Done | Refused | NotNow | Unknown:
        """Collect up to `points` once for this key; without `allow_debt` no more than the balance."""


class CouponProvider(Protocol):
    """Coupons of members, by idempotency key; `together` is how many rewards are best claimed before it is asked."""

    together: int

    def issue(
        self, key: str, template: str, member: Member, quantity: int
    ) -> Issued | OutOfStock | Refused | NotNow | Unknown:
        """Issue so many coupons of the template once for this key: all of them, or none."""

    def revoke(self, key: str, member: Member, codes: tuple[str, ...]) -> Revoked | Refused | NotNow | Unknown:
        """Make void those of the codes that are not used yet, once for this key."""
