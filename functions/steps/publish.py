"""Publish: what changed in the ledger becomes history, events that others may follow, and letters of what was parked.

It reads the ledger's stream, so nothing is told that was not written and nothing written stays untold. A batch may be
told again from any record on: a history item or a letter is then its own equal, an event has the version it had.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.delivering import letters
from bootstrap.publishing import change_in, history, rewards_bus
from bootstrap.settings import published_events
from rewards.history import Change, HistoryItem
from rewards.parking import letter_of
from rewards.reward_events import reward_events
from telemetry import logger, metrics, tally


def publish(found: list[Change | None]) -> None:
    changes = [change for change in found if change]
    published = published_events()
    events = [event for change in changes for event in reward_events(change, published)]
    history().write([HistoryItem.of(change) for change in changes])
    for letter in filter(None, map(letter_of, changes)):
        letters().send(letter)
    rewards_bus().publish(events)
    tally("HistoryItems", len(changes))
    tally("RewardEvents", len(events))


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.in_order(event, change_in, publish)
