"""Expire: the payment of a placed order is due; what is still unpaid lets its place go.

A timer only names the row, which decides. What cannot be looked at now is found again by the sweep.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.clock import now
from bootstrap.ledger import ledger
from bootstrap.queues import timers
from rewards.expiring import expire
from rewards.messages import Message
from rewards.tasks import parse_task
from telemetry import count, logger, metrics


def expire_one(message: Message) -> None:
    for id in parse_task(message.body).rewards():
        count(expire(id, ledger(), timers(), now=now()))


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, expire_one, retry=delivery.DUE_WORK)
