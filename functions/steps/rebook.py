"""Rebook: an order was shipped; what counts from shipping is booked by that.

What is due by it already goes to the high queue; the rest waits in the due index for its window.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.clock import now
from bootstrap.ledger import ledger
from bootstrap.queues import at_once
from bootstrap.timetable import timetable
from rewards.events import parse_order_shipped
from rewards.messages import Message
from rewards.rebooking import rebook
from telemetry import count, logger, metrics


def rebook_one(message: Message) -> None:
    event = parse_order_shipped(message.body)
    count(rebook(event, ledger(), at_once(), timetable=timetable(), now=now()))


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, rebook_one, retry=delivery.ORDER_EVENTS)
