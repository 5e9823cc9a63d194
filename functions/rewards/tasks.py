"""What the steps send each other: windows to dispatch, rewards to work on.

Messages carry keys, never amounts: the claimed row decides. They are only for speed, since all that is owed stands
in the due index. Every message carries `v`; readers ignore unknown fields and new fields have defaults.
"""

from typing import Literal, Protocol

from msgspec import Struct

from rewards.reward import Reward, RewardId

Kind = Literal["reward", "recycle"]
Queue = Literal["grant_points_high", "grant_points_low", "recycle_points", "dispatch"]


class Group(Struct, frozen=True, omit_defaults=True):
    """Rewards of one member under one promotion, in the order their orders were made."""

    shop_id: str
    member_id: str
    promotion_id: str
    orders: tuple[str, ...]

    def rewards(self) -> list[RewardId]:
        return [RewardId(self.shop_id, order_group, self.promotion_id) for order_group in self.orders]


class Task(Struct, frozen=True, omit_defaults=True):
    """Rewards to grant or to recycle: small groups inline, a large one as a list kept in S3.

    `start` is how far into the list an earlier worker came, `passes` how many workers the list has had.
    """

    groups: tuple[Group, ...] = ()
    list_key: str | None = None
    start: int = 0
    passes: int = 0
    v: int = 1


class Position(Struct, frozen=True):
    """The last row of the due index that is done with: its sort key and the reward it stands for."""

    sort: str
    reward: RewardId


class ShardWindow(Struct, frozen=True, omit_defaults=True):
    """One shard's part of a window, within one UTC date: the slots [start, end) of a due-index partition.

    `after` is where an earlier dispatcher ran out of time, `passes` how many there were.
    """

    kind: Kind
    date: str
    shard: int
    start: str
    end: str
    after: Position | None = None
    passes: int = 0
    v: int = 1


def task_of(reward: Reward) -> Task:
    """A message for this reward alone."""
    return Task((Group(reward.id.shop_id, reward.member_id, reward.id.promotion_id, (reward.id.order_group,)),))


class TaskQueue(Protocol):
    """Where tasks go. Raises when something could not be sent, after it was tried again."""

    def send(self, tasks: list[Task]) -> None: ...
