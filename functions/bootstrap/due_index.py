"""The index of what is due."""

from functools import cache

from adapters.due_index import DynamoDueIndex
from bootstrap.clients import plain_dynamodb
from bootstrap.settings import setting


@cache
def due_index() -> DynamoDueIndex:
    return DynamoDueIndex(plain_dynamodb(), setting("LEDGER_TABLE"))
