"""Match: orders of a shop's file are booked and withdrawn like online ones.

An order that fails goes on in a message of its own, so that it costs only itself.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.clock import now
from bootstrap.crm_queues import batches
from bootstrap.ledger import ledger
from bootstrap.promotions import promotions
from bootstrap.queues import at_once, recycles
from bootstrap.timetable import timetable
from rewards.crm_messages import parse_batch
from rewards.messages import Message
from rewards.offline import match
from telemetry import count, logger, metrics


def match_one(message: Message) -> None:
    count(
        match(
            parse_batch(message.body),
            ledger(),
            promotions(),
            at_once(),
            recycles(),
            batches(),
            timetable=timetable(),
            now=now(),
        )
    )


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, match_one, retry=delivery.ORDER_EVENTS)
