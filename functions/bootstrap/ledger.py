"""The ledger: orders, their rewards, and the places those hold."""

from functools import cache

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from bootstrap.clients import dynamodb
from bootstrap.settings import setting


@cache
def ledger() -> DynamoLedger:
    quota = DynamoQuota(dynamodb(), setting("QUOTA_TABLE"))
    return DynamoLedger(dynamodb(), setting("LEDGER_TABLE"), quota)
