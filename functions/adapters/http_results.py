"""What a provider's service says of an operation: JSON with an `outcome`, read into the answers of the ports.

`done` has the result's fields, `refused` a reason, and issuing may be `out_of_stock`. Fields nobody knows are ignored.
Whatever does not answer what was asked raises ValueError: a row must never be settled on it.
"""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.json import decode

from rewards.provider import Done, Issued, OutOfStock, Refused, Revoked

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
"""No more than a row can hold."""

Code = Annotated[str, Meta(min_length=1)]


class _Result(Struct, frozen=True, tag_field="outcome"):
    pass


class _Granted(_Result, frozen=True, tag="done"):
    points: Count | None = None


class _Collected(_Result, frozen=True, tag="done"):
    collected: Count


class _Issued(_Result, frozen=True, tag="done"):
    codes: Annotated[tuple[Code, ...], Meta(min_length=1)]


class _Revoked(_Result, frozen=True, tag="done"):
    revoked: tuple[Code, ...]
    used: tuple[Code, ...]


class _OutOfStock(_Result, frozen=True, tag="out_of_stock"):
    pass


class _Refused(_Result, frozen=True, tag="refused"):
    reason: str


def granted(body: bytes, points: int) -> Done | Refused:
    """The points granted: those asked, unless the provider names another number."""
    match decode(body, type=_Granted | _Refused):
        case _Granted(points=given):
            return Done(points if given is None else given)
        case _Refused(reason=reason):
            return Refused(reason)


def collected(body: bytes, points: int) -> Done | Refused:
    """The points collected: fewer than asked where the balance was short, never more."""
    match decode(body, type=_Collected | _Refused):
        case _Collected(collected=taken):
            if taken > points:
                raise ValueError(f"collected {taken} points, more than the {points} asked for")
            return Done(taken)
        case _Refused(reason=reason):
            return Refused(reason)


def issued(body: bytes) -> Issued | OutOfStock | Refused:
    """The codes issued; they are not counted here, since the first answer for a key stands whatever is asked later."""
    result: _Issued | _OutOfStock | _Refused = decode(body, type=_Issued | _OutOfStock | _Refused)
    match result:
        case _Issued(codes=codes):
            return Issued(codes)
        case _OutOfStock():
            return OutOfStock()
        case _Refused(reason=reason):
            return Refused(reason)


def revoked(body: bytes, codes: tuple[str, ...]) -> Revoked | Refused:
    """Which of the codes are void now and which were used: each of them is one or the other."""
    match decode(body, type=_Revoked | _Refused):
        case _Revoked(revoked=void, used=used):
            if sorted(void + used) != sorted(codes):
                raise ValueError("the codes revoked and used are not those asked for")
            return Revoked(void, used)
        case _Refused(reason=reason):
            return Refused(reason)
