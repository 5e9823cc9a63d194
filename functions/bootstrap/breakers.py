"""The breakers of the providers."""

from functools import cache

from adapters.breakers import DynamoBreakers
from bootstrap.clients import dynamodb
from bootstrap.settings import setting


@cache
def breakers() -> DynamoBreakers:
    return DynamoBreakers(dynamodb(), setting("CONTROL_TABLE"))
