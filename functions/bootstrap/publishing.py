"""What is told of a change in the ledger: its history, and to whoever follows the rewards bus."""

from functools import cache

from adapters.bus import EventBridgeBus
from adapters.history import DynamoHistory
from adapters.stream import change_in as change_in  # for the step, which knows no adapters
from bootstrap.clients import dynamodb, events
from bootstrap.settings import setting


@cache
def history() -> DynamoHistory:
    return DynamoHistory(dynamodb(), setting("LEDGER_TABLE"))


@cache
def rewards_bus() -> EventBridgeBus:
    return EventBridgeBus(events(), setting("REWARDS_BUS"))
