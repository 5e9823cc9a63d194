"""Park: every dead letter is kept for good, with its kind, before its queue forgets it.

What it cannot keep stays in the queue and comes back: there is nowhere further to send it.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import bootstrap
import delivery
from rewards.letters import letter_in
from rewards.messages import Message
from telemetry import logger, metrics, tally


def park_one(message: Message) -> None:
    letter = letter_in(message, now=bootstrap.now())
    bootstrap.kept_letters().keep(letter)
    tally(f"{letter.kind.capitalize()}Letter")


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, park_one, retry=None)
