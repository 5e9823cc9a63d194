"""Withdraw: an order was cancelled, returned or not paid; take back what it no longer earns.

Delivery is at least once and in any order: the return is kept on the order first, then each reward is made to agree.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.clock import now
from bootstrap.ledger import ledger
from bootstrap.queues import recycles
from bootstrap.timetable import timetable
from rewards.events import parse_reverse_event
from rewards.messages import Message
from rewards.withdrawal import withdraw
from telemetry import count, logger, metrics


def withdraw_one(message: Message) -> None:
    event = parse_reverse_event(message.body)
    count(withdraw(event, ledger(), recycles(), timetable=timetable(), now=now()))


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, withdraw_one, retry=delivery.ORDER_EVENTS)
