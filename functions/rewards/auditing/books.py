"""The books by themselves: accounts, coupons and stocks against their entries, quotas against the places held."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rewards.auditing.effects import CouponEntry, PointsEntry
from rewards.auditing.finding import Finding
from rewards.provider import Member

Template = tuple[str, str]
"""A shop, and the name of a template of coupons."""


class IssuedCoupon(NamedTuple):
    """A coupon as the pool has it."""

    member: Member
    code: str
    template: str
    state: str


class Places(NamedTuple):
    """What is counted under one key of a promotion's quota: the places `taken`, and those that rewards hold.

    `moved` is how many rewards of the promotion have changed since the counts were read: no two reads of two tables
    are of one moment.
    """

    taken: int
    held: int
    moved: int


def audit_account(member: Member, counted: int, entries: Iterable[PointsEntry]) -> Iterator[Finding]:
    """As many reclaims are `counted` as there are among the entries: else nothing can be collected any more."""
    entered = sum(entry.is_reclaim for entry in entries)
    if counted != entered:
        about = f"{member.shop_id}/{member.member_id}"
        yield Finding("account", about, f"{counted} reclaims are counted, {entered} are among its entries")


def audit_coupon(coupon: IssuedCoupon | None, entries: Sequence[CouponEntry], about: Template) -> Iterator[Finding]:
    """A coupon was issued once, under one key, to one member, and is void if it was asked back and not used, only."""
    code = about[1]
    issued = [entry for entry in entries if code in entry.codes]
    is_revoked = any(code in entry.revoked for entry in entries)
    is_used = any(code in entry.used for entry in entries)
    where = "/".join(about)
    if coupon is None:
        yield Finding("coupon", where, "it stands in an entry, and there is no such coupon")
        return
    if [entry.template for entry in issued] != [coupon.template]:
        yield Finding("coupon", where, f"a coupon of {coupon.template}, issued as {[e.template for e in issued]}")
    if any(entry.member != coupon.member for entry in issued):  # a return may name another, as merged members do
        yield Finding("coupon", where, f"{coupon.member.member_id} has it, issued to {issued[0].member.member_id}")
    if is_revoked != (coupon.state == "revoked") or (is_used and coupon.state != "used"):
        told = "revoked" if is_revoked else "used" if is_used else "neither revoked nor found used"
        yield Finding("coupon", where, f"it is {coupon.state}, by its entries {told}")


def audit_left(template: Template, left: int) -> Iterator[Finding]:
    """No more coupons are issued than were stocked."""
    if left < 0:
        yield Finding("stock", "/".join(template), f"{left} are left")


def audit_stocks(issued: Mapping[Template, int], coupons: Counter[Template]) -> Iterator[Finding]:
    """As many coupons of each template exist as its stock says were issued."""
    for template in sorted(issued.keys() | coupons.keys()):
        said, are = issued.get(template, 0), coupons[template]
        if said != are:
            yield Finding("stock", "/".join(template), f"{said} were issued by the stock, there are {are} coupons")


def audit_places(counted: str, places: Places) -> Iterator[Finding]:
    """Every place taken is held by a reward, and every reward's place is taken, but for those that moved meanwhile."""
    if places.taken < 0 or abs(places.taken - places.held) > places.moved:
        yield Finding("quota", counted, f"{places.taken} places are taken, {places.held} are held by rewards")
