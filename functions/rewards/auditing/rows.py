"""One reward by itself: what no row may show, whatever came before."""

from collections.abc import Iterator

from rewards.auditing.finding import Finding, found
from rewards.claiming import grant_key, reclaim_key
from rewards.due import parse
from rewards.reward import Reward
from rewards.status import Status

WAITS_FOR = {Status.OCCUPY: "expire", Status.WAIT: "reward", Status.REWARD: "recycle"}
"""The kind of due keys a row may have, by its status; the others owe nothing and have none."""

ACTIONS = {Status.WAIT: "grant", Status.REWARD: "reclaim"}


def audit_row(row: Reward) -> Iterator[Finding]:
    yield from _sums(row)
    yield from _places(row)
    yield from _due(row)
    yield from _lock(row)


def _sums(row: Reward) -> Iterator[Finding]:
    taken = row.recycle_points + row.shortfall
    if min(row.points, row.recycle_points, row.shortfall) < 0:
        yield found("sums", row, f"points {row.points}, recycled {row.recycle_points}, short {row.shortfall}")
    if taken > row.points:
        yield found("sums", row, f"{taken} were to be taken back of {row.points}")
    if taken and not row.is_recycle:
        yield found("sums", row, f"{taken} were to be taken back, and it is not said to be recycled")
    if row.is_reward != (row.status is Status.REWARD):
        yield found("sums", row, f"it is {row.status}, and {'was' if row.is_reward else 'was not'} granted")
    if row.status in (Status.OCCUPY, Status.WAIT) and not row.points:
        yield found("sums", row, f"it is {row.status} for nothing")
    if row.reward_type == "ECoupon":
        yield from _codes(row)


def _codes(row: Reward) -> Iterator[Finding]:
    asked = row.revoked_codes + row.used_codes
    if row.is_reward and len(row.codes) != row.points:
        yield found("sums", row, f"{row.points} coupons, but {len(row.codes)} codes")
    if len(set(asked)) != len(asked) or not set(asked) <= set(row.codes):
        yield found("sums", row, "a code was asked back twice, or was never given")
    if len(row.revoked_codes) != row.recycle_points:
        yield found("sums", row, f"{row.recycle_points} coupons recycled, but {len(row.revoked_codes)} codes revoked")


def _places(row: Reward) -> Iterator[Finding]:
    if row.status is Status.OCCUPY and (row.place is None or row.unpaid_until is None):
        yield found("place", row, "it is Occupy without a place, or without a deadline")
    if row.status in (Status.CANCEL, Status.NO_QUOTA) and row.place:
        yield found("place", row, f"it is {row.status} and holds a place")


def _due(row: Reward) -> Iterator[Finding]:
    is_parked = row.held is not None and row.held.is_parked
    is_owed = row.status is Status.OCCUPY or (row.status is Status.WAIT and row.booking_time) or row.return_pending
    if row.due is None:
        if is_owed and not is_parked:
            yield found("lost", row, f"it is {row.status}, and nothing in the due index will ever find it")
        return
    if is_parked:
        yield found("due keys", row, "it waits for a person, and stands in the due index")
    kind = row.due.partition.partition("#")[0]
    if kind != WAITS_FOR.get(row.status):
        yield found("due keys", row, f"it is {row.status}, and stands in the due index as {kind}")
    if parse(row.due.sort).id != row.id:
        yield found("due keys", row, f"its due keys name another reward: {row.due.sort}")


def _lock(row: Reward) -> Iterator[Finding]:
    if row.lock is None:
        return
    if row.due is None and not (row.held and row.held.is_parked):
        yield found("lock", row, "it is claimed without standing in the due index")
    if row.lock.action != ACTIONS.get(row.status):
        yield found("lock", row, f"it is {row.status}, and claimed to {row.lock.action}")
    elif row.lock.key != (grant_key if row.lock.action == "grant" else reclaim_key)(row):
        yield found("lock", row, f"it is claimed under the key {row.lock.key}")
