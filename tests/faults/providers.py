"""Who holds the points of a story: a table that is built in or somebody else's service, and what their books say."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, Protocol
from urllib.parse import unquote

from adapters.coupon_items import Coupon, Stock
from adapters.wallet import Account, Entry
from rewards.provider import Member
from tests.fakes.provider_server import ProviderServer

Provider = Literal["wallet", "http"]


class Accounts(Protocol):
    """The books of points."""

    def balance(self, member: Member) -> int: ...

    def accounts(self) -> Iterable[Account]: ...


class Coupons(Protocol):
    """The books of coupons, and what becomes of some."""

    def add_stock(self, shop_id: str, template: str, count: int) -> None: ...

    def coupons(self) -> Iterable[Coupon]: ...

    def stocks(self) -> list[tuple[str, str, Stock]]: ...

    def use(self, shop_id: str, code: str) -> bool: ...


class ServiceAccounts:
    """The books of a service, whose keys came over the wire."""

    def __init__(self, service: ProviderServer) -> None:
        self._service = service

    def balance(self, member: Member) -> int:
        return self._service.points.balance(member)

    def accounts(self) -> list[Account]:
        entries: defaultdict[Member, list[Entry]] = defaultdict(list)
        for key, points in self._service.points.entries.items():
            entries[self._service.members[key]].append(Entry(unquote(key), points, is_reclaim=points < 0))
        return [Account(member, found) for member, found in entries.items()]
