"""The due index: where a row that waits for something stands, and what its place says.

A row stands there while something is owed, so whatever is found in a past slot is overdue. Within a slot the rows of
one member under one promotion stand together, in the order of their orders' times: the dispatcher streams them and
holds one such group at a time.

    partition  <kind>#<UTC date>#<shard>
    sort       <slot>#<shop>#<member>#<promotion>#<order time>#<order group>
"""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from rewards.identifiers import join, split
from rewards.reward import Due, RewardId
from rewards.sharding import shard_of
from rewards.windows import Kind, slot


class DueRow(NamedTuple):
    """What a sort key says; `ordered_at` stays text, since nothing but its order matters here."""

    slot: str
    shop_id: str
    member_id: str
    promotion_id: str
    ordered_at: str
    order_group: str

    @property
    def id(self) -> RewardId:
        return RewardId(self.shop_id, self.order_group, self.promotion_id)


_DELIMITERS = len(DueRow._fields) - 1


def due_keys(
    kind: Kind,
    at: datetime,
    now: datetime,
    id: RewardId,
    member_id: str,
    ordered_at: datetime,
    *,
    shards: int,
    period: timedelta,
) -> Due:
    """The place of what falls due `at`; what is late already takes the slot of `now`, so no past date gains rows.

    All that one promotion owes one member falls into the same shard: it can be worked off in order.
    """
    when = slot(kind, max(at, now), period)
    shard = shard_of(id.shop_id, member_id, id.promotion_id, count=shards)
    sort = join(when, id.shop_id, member_id, id.promotion_id, _order_time(ordered_at), id.order_group)
    return Due(partition(kind, when[:10], shard), sort)


def partition(kind: Kind, day: str, shard: int) -> str:
    """One date and shard of the index; `day` is UTC's, like `2026-11-30`."""
    return f"{kind}#{day}#{shard:02}"


def is_sort_key(key: str) -> bool:
    """Whether it can be parsed; what it says need not be true."""
    return key.count("#") == _DELIMITERS


def parse(sort: str) -> DueRow:
    """The reverse of `due_keys`. Raises ValueError if this is no sort key of the index."""
    if not is_sort_key(sort):
        raise ValueError(f"{sort} is no sort key of the due index")
    return DueRow(*split(sort))


def group_of(sort: str) -> str:
    """What a sort key begins with: its slot, member and promotion."""
    return sort.rsplit("#", 2)[0]


def _order_time(at: datetime) -> str:
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
