"""Recycle points: claim each reward that is to be taken back, collect what is owed, settle.

What is owed is computed from row and order when the row is claimed; what the balance does not cover is a shortfall.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.ledger import ledger
from bootstrap.lists import task_lists
from bootstrap.points import points
from bootstrap.queues import recycles, tasks
from bootstrap.timetable import timetable
from bootstrap.working import guard, worker
from rewards.messages import Message
from rewards.outcomes import OfReward
from rewards.recycling import recycle, taking_back_points
from rewards.reward import RewardId
from rewards.tasks import parse_task
from rewards.working import work
from telemetry import count, logger, metrics


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    guarded = guard("points")
    take_back = guarded.telling(taking_back_points(points()))
    claimant = worker("recycle_points", context.aws_request_id)

    @guarded.heeding
    def recycle_one(id: RewardId) -> OfReward:
        return recycle(id, ledger(), take_back, recycles(), worker=claimant, timetable=timetable())

    def recycle_task(message: Message) -> None:
        task, again = parse_task(message.body), tasks("recycle_points")
        count(work(task, recycle_one, task_lists(), again, out_of_time=delivery.out_of_time(context)))

    return delivery.each(event, recycle_task, retry=delivery.DUE_WORK)
