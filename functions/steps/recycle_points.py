"""Recycle points: claim each reward that is to be taken back, collect what is owed, settle.

What is owed is computed from row and order when the row is claimed; what the balance does not cover is a shortfall.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import bootstrap
import delivery
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
    guard, ledger, recycles = bootstrap.guard("points"), bootstrap.ledger(), bootstrap.recycles()
    take_back = guard.telling(taking_back_points(bootstrap.points()))
    worker, timetable = bootstrap.worker("recycle_points", context.aws_request_id), bootstrap.timetable()

    @guard.heeding
    def recycle_one(id: RewardId) -> OfReward:
        return recycle(id, ledger, take_back, recycles, worker=worker, timetable=timetable)

    def recycle_task(message: Message) -> None:
        task, again = parse_task(message.body), bootstrap.tasks("recycle_points")
        count(work(task, recycle_one, bootstrap.task_lists(), again, out_of_time=delivery.out_of_time(context)))

    return delivery.each(event, recycle_task, retry=delivery.DUE_WORK)
