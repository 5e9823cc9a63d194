"""Each shop's promotions."""

from functools import cache

from adapters.promotions import DynamoPromotions
from bootstrap.clients import dynamodb
from bootstrap.settings import setting


@cache
def promotions() -> DynamoPromotions:
    return DynamoPromotions(dynamodb(), setting("PROMOTIONS_TABLE"))
