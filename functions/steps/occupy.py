"""Occupy: an order was placed; take its place of every quota that is held from then on, and start the unpaid timers.

Other promotions are decided when the order is paid.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.clock import now
from bootstrap.ledger import ledger
from bootstrap.promotions import promotions
from bootstrap.queues import timers
from bootstrap.timetable import timetable
from rewards.events import parse_order_placed
from rewards.messages import Message
from rewards.occupying import occupy
from telemetry import count, logger, metrics


def occupy_one(message: Message) -> None:
    event = parse_order_placed(message.body)
    count(occupy(event, ledger(), promotions(), timers(), timetable=timetable(), now=now()))


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, occupy_one, retry=delivery.ORDER_EVENTS)
