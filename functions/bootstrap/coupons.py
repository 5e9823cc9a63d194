"""Who holds the members' coupons."""

from functools import cache

from adapters.coupon_pool import DynamoCouponPool
from bootstrap.clients import dynamodb
from bootstrap.settings import has_http_provider, setting
from rewards.provider import CouponProvider


@cache
def coupons() -> CouponProvider:
    if has_http_provider():
        from bootstrap.http_provider import http_provider

        return http_provider()
    return DynamoCouponPool(dynamodb(), setting("COUPONS_TABLE"))
