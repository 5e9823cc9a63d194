"""A finding: something that no run of this system, however unlucky, leaves behind."""

from typing import Literal

from msgspec import Struct

from rewards.reward import Reward

Kind = Literal[
    "account",
    "amount",
    "booking time",
    "coupon",
    "due keys",
    "effect",
    "gone",
    "history",
    "lock",
    "lost",
    "orphan",
    "place",
    "quota",
    "snapshot",
    "stock",
    "stuck",
    "sums",
    "transition",
    "unreadable",
    "unrecorded",
    "version",
]
"""One for each thing that must hold; `docs/operate.md` says what each means and what to do."""


class Finding(Struct, frozen=True, omit_defaults=True):
    """What is wrong, what it is about, such as SHOP/ORDER_GROUP/PROMOTION, and at which version if it is a reward."""

    kind: Kind
    about: str
    words: str
    version: int | None = None


def found(kind: Kind, row: Reward, words: str) -> Finding:
    """A finding about a reward."""
    return Finding(kind, "/".join(row.id), words, row.version)
