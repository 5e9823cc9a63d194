"""Points and coupons in the hands of somebody else's HTTP service (contract §4, `docs/providers.md`)."""

from collections.abc import Sequence
from functools import partial

from adapters import http_results
from adapters.http_operations import HttpOperations, printable
from rewards.provider import Done, Issued, Member, NotNow, OutOfStock, PointsGrant, Refused, Revoked, Unknown


class HttpProvider:
    """The ports `rewards.provider.PointsProvider` and `CouponProvider` over one service."""

    together = 1

    def __init__(self, operations: HttpOperations) -> None:
        self._operations = operations

    def grant_all(self, grants: Sequence[PointsGrant]) -> list[Done | Refused | NotNow | Unknown]:
        return [self._grant(grant) for grant in grants]

    def reclaim(
        self, key: str, grant_key: str, member: Member, points: int, *, allow_debt: bool
    ) -> Done | Refused | NotNow | Unknown:
        asked = {"grant_key": printable(grant_key), "member": member, "points": points, "allow_debt": allow_debt}
        return self._operations.once("/points/reclaims", key, asked, partial(http_results.collected, points=points))

    def issue(
        self, key: str, template: str, member: Member, quantity: int
    ) -> Issued | OutOfStock | Refused | NotNow | Unknown:
        asked = {"template": template, "member": member, "quantity": quantity}
        return self._operations.once("/coupons/issues", key, asked, http_results.issued)

    def revoke(self, key: str, member: Member, codes: tuple[str, ...]) -> Revoked | Refused | NotNow | Unknown:
        asked = {"member": member, "codes": codes}
        return self._operations.once("/coupons/revokes", key, asked, partial(http_results.revoked, codes=codes))

    def _grant(self, grant: PointsGrant) -> Done | Refused | NotNow | Unknown:
        asked = {"member": grant.member, "points": grant.points, "reason": grant.reason}
        read = partial(http_results.granted, points=grant.points)
        return self._operations.once("/points/grants", grant.key, asked, read)
