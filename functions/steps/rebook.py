"""Rebook: an order was shipped. No reward waits for shipping yet, so the event is checked and acknowledged."""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from rewards.events import parse_order_shipped
from rewards.messages import Message
from telemetry import logger, metrics


def rebook_one(message: Message) -> None:
    parse_order_shipped(message.body)


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, rebook_one, retry=delivery.ORDER_EVENTS)
