"""How far each kind of work was planned."""

from functools import cache

from adapters.control import DynamoControl
from bootstrap.clients import dynamodb
from bootstrap.settings import setting


@cache
def control() -> DynamoControl:
    return DynamoControl(dynamodb(), setting("CONTROL_TABLE"))
