"""What the steps send each other: windows to dispatch, rewards to work on.

Messages carry keys, never amounts: the claimed row decides. They are only for speed, since all that is owed stands
in the due index. Every message carries `v`; readers ignore unknown fields and new fields have defaults.
"""

from datetime import timedelta
from typing import Literal, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import Struct, field

from rewards.due import is_sort_key, parse
from rewards.errors import Invalid, TooNew, shown
from rewards.reward import Reward, RewardId
from rewards.windows import Kind as Kind

PASSES_MAX = 12
"""Lambda stops a chain of about 16 invocations through SQS; well before that, the sweep is left what remains."""

KINDS: tuple[Kind, ...] = ("reward", "recycle")
"""What is planned and dispatched; the third kind has its timers."""

Queue = Literal[
    "grant_points_high",
    "grant_points_low",
    "recycle_points",
    "grant_coupon_high",
    "grant_coupon_low",
    "recycle_coupon",
]
Message = TypeVar("Message", bound=Struct)

MESSAGE_VERSION = 1  # by a factory below, since a plain default would be left out


class Group(Struct, frozen=True, omit_defaults=True, gc=False):
    """Rewards of one member under one promotion, in the order their orders were made."""

    shop_id: str
    member_id: str
    promotion_id: str
    orders: tuple[str, ...]

    def rewards(self) -> list[RewardId]:
        return [RewardId(self.shop_id, order_group, self.promotion_id) for order_group in self.orders]


class Task(Struct, frozen=True, omit_defaults=True, gc=False):
    """Rewards to grant or to recycle: named by their keys in the due index, as the dispatcher found them there; by
    group, where it is somebody else who sends them; a group too large for a message as a list kept in S3.

    `start` is how far into them an earlier worker came, `passes` how many workers they have had.
    """

    keys: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    list_key: str | None = None
    start: int = 0
    passes: int = 0
    v: int = field(default_factory=lambda: MESSAGE_VERSION)

    def rewards(self) -> list[RewardId]:
        """Those that it names itself, which a list's are not. Raises ValueError if a key is none of the index."""
        return [parse(key).id for key in self.keys] + [id for group in self.groups for id in group.rewards()]


class ShardWindow(Struct, frozen=True, omit_defaults=True):
    """One shard's part of a window, within one UTC date: the slots [start, end) of a due-index partition.

    `after` is the sort key of the last row an earlier dispatcher was done with, `passes` how many there were.
    """

    kind: Kind
    date: str
    shard: int
    start: str
    end: str
    after: str | None = None
    passes: int = 0
    v: int = field(default_factory=lambda: MESSAGE_VERSION)


def task_of(reward: Reward) -> Task:
    """A message for this reward alone."""
    return Task(groups=(Group(reward.id.shop_id, reward.member_id, reward.id.promotion_id, (reward.id.order_group,)),))


class TaskQueue(Protocol):
    """Where tasks go. Raises when something could not be sent, after it was tried again."""

    def send(self, tasks: list[Task]) -> None: ...


class Timer(NamedTuple):
    """A reward to look at again only after this time, 15 minutes at most: has it been paid?"""

    task: Task
    delay: timedelta


class TimerQueue(Protocol):
    """Where timers run. Raises when one could not be sent, after it was tried again."""

    def send(self, timers: list[Timer]) -> None: ...


class Delayed(NamedTuple):
    """A window that is to be dispatched only after this time, 15 minutes at most."""

    window: ShardWindow
    delay: timedelta


class WindowQueue(Protocol):
    """Where the dispatchers' windows go. Raises when something could not be sent, after it was tried again."""

    def send(self, windows: list[Delayed]) -> None: ...


def parse_window(body: str) -> ShardWindow:
    """A message to `dispatch`. Raises `Invalid`, or `TooNew`."""
    window = parsed(body, ShardWindow)
    if window.kind not in KINDS:
        raise Invalid("kind", f"{window.kind} is not dispatched")
    return window


def parse_task(body: str) -> Task:
    """A message to grant or to recycle. Raises `Invalid`, or `TooNew`."""
    task = parsed(body, Task)
    if not (task.keys or task.groups or task.list_key):
        raise Invalid("", "a task that names no reward")
    for key in task.keys:
        if not is_sort_key(key):
            raise Invalid("keys", f"{shown(key)} is no sort key of the due index")
    return task


def parsed(body: str, type: type[Message]) -> Message:
    """A message that a step sent. Raises `Invalid`, or `TooNew`."""
    try:
        v = msgspec.json.decode(body, type=_Versioned).v
        if v > MESSAGE_VERSION:
            raise TooNew(v, MESSAGE_VERSION)
        return msgspec.json.decode(body, type=type)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Invalid("", str(error)) from None


class _Versioned(Struct):
    v: int = 1
