"""Dispatch: what is due in one shard of a window goes to the workers' queues.

A message that comes again sends its rewards again, and they are claimed once. One that is given up costs only time:
its rows stand in the due index, for the sweep.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.breakers import breakers
from bootstrap.due_index import due_index
from bootstrap.lists import task_lists
from bootstrap.outlets import outlet
from bootstrap.queues import windows
from rewards.breaker import shut
from rewards.dispatching import dispatch
from rewards.messages import Message
from rewards.tasks import parse_window
from telemetry import logger, metrics, tally, tell_unreadable


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    def dispatch_one(message: Message) -> None:
        done = dispatch(
            parse_window(message.body),
            due_index(),
            outlet,
            task_lists(),
            windows(),
            shut=shut(breakers()),
            out_of_time=delivery.out_of_time(context),
        )
        tally(type(done).__name__)
        tally("DispatchedRewards", done.rewards)
        tally("RewardsLeft", done.left)
        tell_unreadable(done.unreadable)

    return delivery.each(event, dispatch_one, retry=delivery.WINDOWS)
