"""Quota: how many orders a promotion has places for, in all and for one member.

A total is counted in shards, so that orders that come at once do not queue on one count. Each shard has its own share
of the total, and the shares come to the total: so it is never exceeded, and only an order that finds no shard with room
is told that there is none.
"""

from typing import NamedTuple

from rewards.promotion import Quota
from rewards.reward import Place

SHARDS = 16
"""Of each total; where there are fewer places than shards, the last ones have none."""


class Used(NamedTuple):
    """Places taken: of each shard of the total, and by the member; of what has no limit, nothing is counted."""

    shards: tuple[int, ...] = ()
    member: int = 0


class Limits(NamedTuple):
    """How far the counts that a place is taken from may go; None where it is taken from none."""

    shard: int | None = None
    member: int | None = None


class Vacancy(NamedTuple):
    """A place that was free when the counts were read, and what they must still be below when it is taken."""

    place: Place
    limits: Limits


class NoPlace(NamedTuple):
    """There is no place, and why, in words for people."""

    reason: str


def shares(total: int, shards: int = SHARDS) -> tuple[int, ...]:
    """The total dealt out to the shards, as evenly as it goes."""
    return tuple(total // shards + (shard < total % shards) for shard in range(shards))


def vacancy(quota: Quota, used: Used, *, first: int) -> Vacancy | NoPlace:
    """A free place: of the shard that `first` falls on, or of the next one that has room.

    A total that was lowered below what is taken already gives no place until so many have come back.
    """
    if quota.per_member is not None and used.member >= quota.per_member:
        return NoPlace(f"no place: the member has {used.member:,} of {quota.per_member:,}")
    of_member = quota.per_member is not None
    if quota.total is None:
        return Vacancy(Place(of_member=of_member), Limits(member=quota.per_member))
    if sum(used.shards) >= quota.total:
        return NoPlace(f"no place: {sum(used.shards):,} of {quota.total:,} are taken")
    limits = shares(quota.total, len(used.shards))
    shard = first % len(limits)
    while used.shards[shard] >= limits[shard]:
        shard = (shard + 1) % len(limits)
    return Vacancy(Place(shard, of_member=of_member), Limits(limits[shard], quota.per_member))
