"""Who holds the members' points."""

from functools import cache

from adapters.wallet import DynamoWallet
from bootstrap.clients import dynamodb
from bootstrap.settings import has_http_provider, setting
from rewards.provider import PointsProvider


@cache
def points() -> PointsProvider:
    if has_http_provider():
        from bootstrap.http_provider import http_provider

        return http_provider()
    return DynamoWallet(dynamodb(), setting("WALLET_TABLE"))
