"""Book: an order was paid; decide every promotion once and write what it earned, with its booking time.

What is due already goes to the high queue; the rest waits in the due index for its window.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.clock import now
from bootstrap.ledger import ledger
from bootstrap.promotions import promotions
from bootstrap.queues import at_once
from bootstrap.timetable import timetable
from rewards.booking import book
from rewards.events import parse_payment_completed
from rewards.messages import Message
from telemetry import count, logger, metrics


def book_one(message: Message) -> None:
    event = parse_payment_completed(message.body)
    count(book(event, ledger(), promotions(), at_once(), timetable=timetable(), now=now()))


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, book_one, retry=delivery.ORDER_EVENTS)
