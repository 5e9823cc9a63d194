"""Coupons in memory: once per key, all or none, and the first final answer stands."""

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import TypeVar

from adapters.coupon_items import Coupon, Stock
from rewards.provider import Issued, Member, OutOfStock, Refused, Revoked, Unknown

Answer = TypeVar("Answer")


class MemoryCoupons:
    """A provider whose next calls can be spoilt: `die_before` of them raise with nothing done, as when the worker dies,
    and `lose_replies` of them are done but not told.

    `meanwhile` happens once, after the work of a call is done and before its caller hears of it.
    """

    together = 25

    def __init__(self) -> None:
        self.left: Counter[tuple[str, str]] = Counter()
        self.issues: dict[str, Issued | OutOfStock] = {}
        self.revokes: dict[str, Revoked] = {}
        self.lose_replies = 0
        self.die_before = 0
        self.meanwhile: Callable[[], object] | None = None
        self._coupons: dict[tuple[str, str], Coupon] = {}
        self._numbers = count(1)

    def add_stock(self, shop_id: str, template: str, count: int) -> None:
        self.left[shop_id, template] += count

    def stock(self, shop_id: str, template: str) -> Stock:
        issued = [each for each in self.coupons() if (each.member.shop_id, each.template) == (shop_id, template)]
        return Stock(self.left[shop_id, template], len(issued))

    def stocks(self) -> list[tuple[str, str, Stock]]:
        return sorted((*name, self.stock(*name)) for name in self.left)

    def coupons(self) -> list[Coupon]:
        return list(self._coupons.values())

    def coupon(self, shop_id: str, code: str) -> Coupon | None:
        return self._coupons.get((shop_id, code))

    def use(self, shop_id: str, code: str) -> bool:
        coupon = self.coupon(shop_id, code)
        if coupon is None or coupon.state != "issued":
            return False
        self._coupons[shop_id, code] = coupon._replace(state="used")
        return True

    def issue(self, key: str, template: str, member: Member, quantity: int) -> Issued | OutOfStock | Unknown:
        self._die()
        if key not in self.issues:
            self.issues[key] = self._issue(template, member, quantity)
        return self._told(self.issues[key])

    def revoke(self, key: str, member: Member, codes: tuple[str, ...]) -> Revoked | Refused | Unknown:
        self._die()
        if unknown := [code for code in codes if not self.coupon(member.shop_id, code)]:
            return Refused(f"no coupon {unknown[0]}")
        if key not in self.revokes:
            self.revokes[key] = self._revoke(member.shop_id, codes)
        return self._told(self.revokes[key])

    def _issue(self, template: str, member: Member, quantity: int) -> Issued | OutOfStock:
        if self.left[member.shop_id, template] < quantity:
            return OutOfStock()
        self.left[member.shop_id, template] -= quantity
        codes = tuple(f"C{next(self._numbers)}" for _ in range(quantity))
        self._coupons |= {(member.shop_id, code): Coupon(member, code, template, "issued") for code in codes}
        return Issued(codes)

    def _revoke(self, shop_id: str, codes: tuple[str, ...]) -> Revoked:
        used = tuple(code for code in codes if self._coupons[shop_id, code].state == "used")
        void = tuple(code for code in codes if code not in used)
        for code in void:
            self._coupons[shop_id, code] = self._coupons[shop_id, code]._replace(state="revoked")
        return Revoked(void, used)

    def _die(self) -> None:
        if self.die_before:
            self.die_before -= 1
            raise ConnectionError("died before the call")

    def _told(self, answer: Answer) -> Answer | Unknown:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        if self.lose_replies:
            self.lose_replies -= 1
            return Unknown("the reply was lost")
        return answer
