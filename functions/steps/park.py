"""Park: every dead letter is kept for good, with its kind, before its queue forgets it.

Records that a stream's reader gave up come by a message that says where they were set aside. What it cannot keep stays
in the queue and comes back: there is nowhere further to send it.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.clock import ahead, now
from bootstrap.parking import kept_letters, set_aside, step_behind
from rewards.given_up import letter_in
from rewards.messages import Message
from telemetry import logger, metrics, tally


def park_one(message: Message) -> None:
    found = set_aside().letters_told_of(message, ahead=ahead())
    for letter in [letter_in(message, now=now())] if found is None else found:
        kept_letters().keep(letter.of_step(step_behind(letter.step)))
        tally(f"{letter.kind.capitalize()}Letter")


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.each(event, park_one, retry=None)
