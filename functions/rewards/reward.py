"""A reward row: one promotion's debt to one order, and where it stands."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from rewards.order import OrderId
from rewards.promotion import RewardType, Rule
from rewards.status import Status


class RewardId(NamedTuple):
    """A reward's identity: a promotion gives an order at most one."""

    shop_id: str
    order_group: str
    promotion_id: str

    @property
    def order(self) -> OrderId:
        return OrderId(self.shop_id, self.order_group)


class Due(NamedTuple):
    """Keys in the due index: a row has them while, and only while, something is owed."""

    partition: str
    sort: str


class Place(Struct, frozen=True, omit_defaults=True):
    """A place of a promotion's quota: the shard of the total it is counted in, and whether the member's too."""

    shard: int | None = None
    of_member: bool = False


class Held(Struct, frozen=True):
    """Why the row waits for a person. One that was granted and is only in question goes on; the others are parked."""

    kind: Literal["refused", "expired", "exhausted", "paid again", "late lines"]
    reason: str

    @property
    def is_parked(self) -> bool:
        """Nobody works on the row any more: it is out of the due index, and has a letter instead."""
        return self.kind not in ("paid again", "late lines")


class Lock(Struct, frozen=True, omit_defaults=True):
    """A claim, and the intent it was made for: whoever takes it over keeps key, amount and account.

    `member_id` is whose account it is, where that is not the row's own: members are merged between grant and return.
    """

    token: str
    until: datetime
    action: Literal["grant", "reclaim"]
    key: str
    amount: int
    member_id: str | None = None


class Reward(Struct, frozen=True, omit_defaults=True, kw_only=True, rename="pascal"):
    """The reward item.

    Every write raises `version` by one. `changed_version` is the last version that was more than a claim, so that the
    history items form a chain; when, by which step and why it came are kept beside it. `points` is what is to be
    granted and, once granted, what was; of a coupon reward all such numbers count coupons. `booking_time` is None while
    the reward waits for payment, or for the parcel to leave. `redriven` is how often it was tried again by hand.
    """

    id: RewardId
    member_id: str
    status: Status
    reward_type: RewardType
    source: str
    ordered_at: datetime
    booking_time: datetime | None = None
    unpaid_until: datetime | None = None
    place: Place | None = None
    rule: Rule
    lines: tuple[str, ...] | None = None
    base_amount: Decimal = Decimal(0)
    points: int = 0
    is_reward: bool = False
    is_recycle: bool = False
    codes: tuple[str, ...] = ()
    revoked_codes: tuple[str, ...] = ()
    used_codes: tuple[str, ...] = ()
    recycle_points: int = 0
    shortfall: int = 0
    grant_attempt: int = 0
    recycle_seq: int = 0
    lock: Lock | None = None
    return_pending: bool = False
    stock_outs: int = 0
    no_stock_since: datetime | None = None
    attempts: int = 0
    first_failed_at: datetime | None = None
    held: Held | None = None
    redriven: int = 0
    due: Due | None = None
    granted_at: datetime | None = None
    update_reason: str
    changed_by: str
    changed_at: datetime
    version: int
    changed_version: int
    v: int = field(default=1, name="v")

    @property
    def untried_codes(self) -> tuple[str, ...]:
        """Coupons the member was given that nobody has asked back yet, nor found used."""
        return tuple(code for code in self.codes if code not in self.revoked_codes and code not in self.used_codes)

    @property
    def outstanding(self) -> int:
        """Points the member still has from this reward, as far as the ledger knows."""
        return self.points - self.recycle_points - self.shortfall if self.status is Status.REWARD else 0

    def change(self, reason: str, *, by: str, at: datetime, **fields: Any) -> "Reward":
        """The next version of this row, worth a history item."""
        version = self.version + 1
        return replace(
            self, version=version, changed_version=version, update_reason=reason, changed_by=by, changed_at=at, **fields
        )

    def cancel(self, reason: str, *, by: str, at: datetime, **fields: Any) -> "Reward":
        """The next version of this row, which owes nothing any more, waits for nothing and lets its place go."""
        nothing = {"points": 0, "place": None, "due": None, "unpaid_until": None, "held": None, "return_pending": False}
        nothing |= {"attempts": 0, "first_failed_at": None, "no_stock_since": None}  # revived, it is tried anew
        return self.change(reason, by=by, at=at, status=Status.CANCEL, **nothing | fields)

    def with_lock(self, lock: Lock | None, **fields: Any) -> "Reward":
        """The next version of this row, claimed, put off or let go; no history item."""
        return replace(self, version=self.version + 1, lock=lock, **fields)

    def is_due(self, now: datetime) -> bool:
        """Whether it is owed and its time has come; one that waits for its parcel has no time."""
        has_come = self.booking_time is not None and self.booking_time <= now
        return self.status is Status.WAIT and self.due is not None and has_come

    def is_locked(self, now: datetime) -> bool:
        """Another worker may be at it. A lease that is over never means that nothing was done."""
        return self.lock is not None and self.lock.until > now
