"""What the providers did for a reward, key by key, against what the reward says they did."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rewards.auditing.finding import Finding, found
from rewards.claiming import grant_key
from rewards.identifiers import split
from rewards.provider import Member
from rewards.reward import Reward, RewardId


class PointsEntry(NamedTuple):
    """What a key did to an account: negative when points were collected."""

    key: str
    member: Member
    points: int
    is_reclaim: bool = False


class CouponEntry(NamedTuple):
    """What a key did: issued `codes`, or nothing where there was no stock; or found codes `revoked` and `used`."""

    key: str
    member: Member
    template: str | None = None
    codes: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    used: tuple[str, ...] = ()

    @property
    def did_something(self) -> bool:
        return bool(self.codes or self.revoked or self.used)


class Operation(NamedTuple):
    """What an idempotency key says: whose reward, granted or reclaimed, and for which time."""

    id: RewardId
    action: str
    number: int


def operation(key: str) -> Operation:
    """The reverse of the ledger's keys. Raises ValueError if it is none of them."""
    shop_id, order_group, promotion_id, action, number = split(key)
    return Operation(RewardId(shop_id, order_group, promotion_id), action, int(number))


def strangers(entries: Iterable[PointsEntry | CouponEntry], rows: dict[RewardId, Reward]) -> Iterator[Finding]:
    """Effects that no reward knows of: not settled, and not what a claim says is being done."""
    for entry in entries:
        done = operation(entry.key)
        if (row := rows.get(done.id)) is None:
            yield Finding("orphan", entry.key, "done by the provider, and there is no such reward")
        elif not _is_known(entry.key, row) and _did_something(entry):
            yield found("effect", row, f"{entry.key} did something, and the reward knows nothing of it")


def audit_points(row: Reward, entries: Iterable[PointsEntry]) -> Iterator[Finding]:
    """A settled reward of points: one entry granted it, and the others took back what the row says."""
    if row.reward_type != "LoyaltyPoints":
        return
    granted = [entry for entry in entries if row.is_reward and entry.key == grant_key(row)]
    if row.is_reward and [entry.points for entry in granted] != [row.points]:
        yield found("effect", row, f"granted {row.points}, the wallet's entries {[e.points for e in granted]}")
    if any(entry.member != Member(row.id.shop_id, row.member_id) for entry in granted):
        yield found("effect", row, f"granted to {granted[0].member.member_id}, the reward is {row.member_id}'s")
    collected = -sum(entry.points for entry in entries if _is_settled_reclaim(entry.key, row))
    if collected != row.recycle_points:
        yield found("effect", row, f"recycled {row.recycle_points}, the wallet collected {collected}")


def audit_coupons(row: Reward, entries: Iterable[CouponEntry]) -> Iterator[Finding]:
    """A settled reward of coupons: its codes are those issued under its key, and so with what was revoked and used."""
    if row.reward_type != "ECoupon":
        return
    issued = [entry for entry in entries if row.is_reward and entry.key == grant_key(row)]
    if row.is_reward and [entry.codes for entry in issued] != [row.codes]:
        yield found("effect", row, f"its codes {row.codes}, issued were {[e.codes for e in issued]}")
    if any(entry.member != Member(row.id.shop_id, row.member_id) for entry in issued):
        yield found("effect", row, f"issued to {issued[0].member.member_id}, the reward is {row.member_id}'s")
    reclaimed = [entry for entry in entries if _is_settled_reclaim(entry.key, row)]
    for name, codes, told in (
        ("revoked", row.revoked_codes, [code for entry in reclaimed for code in entry.revoked]),
        ("used", row.used_codes, [code for entry in reclaimed for code in entry.used]),
    ):
        if sorted(codes) != sorted(told):
            yield found("effect", row, f"{name} {codes}, the provider's entries {tuple(told)}")


def _is_known(key: str, row: Reward) -> bool:
    is_settled = (row.is_reward and key == grant_key(row)) or _is_settled_reclaim(key, row)
    return is_settled or (row.lock is not None and key == row.lock.key)


def _is_settled_reclaim(key: str, row: Reward) -> bool:
    done = operation(key)
    return done.id == row.id and done.action == "reclaim" and done.number < row.recycle_seq


def _did_something(entry: PointsEntry | CouponEntry) -> bool:
    return entry.did_something if isinstance(entry, CouponEntry) else entry.points != 0
