"""Recycle points: claim each reward that is to be taken back, collect what is owed, settle.

What is owed is computed from row and order when the row is claimed; what the balance does not cover is a shortfall.
"""

from collections.abc import Sequence

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.ledger import ledger
from bootstrap.lists import task_lists
from bootstrap.points import points
from bootstrap.queues import recycles, tasks
from bootstrap.timetable import timetable
from bootstrap.working import guard, worker
from rewards.guard import Outcomes
from rewards.pooling import pooled
from rewards.recycling import recycle, taking_back_points
from rewards.reward import RewardId
from rewards.tasks import Task, parse_task
from rewards.working import work
from telemetry import count, logger, metrics


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    guarded = guard("points")
    take_back = guarded.telling(taking_back_points(points()))
    claimant = worker("recycle_points", context.aws_request_id)

    def recycle_some(ids: Sequence[RewardId]) -> Outcomes:
        works = {id: recycle(id, take_back, recycles(), worker=claimant, timetable=timetable()) for id in ids}
        return pooled(works, ledger())

    def recycle_all(due: list[Task]) -> list[Exception | None]:
        crew, again = guarded.heeding(recycle_some, take_back.together), tasks("recycle_points")
        worked = work(due, crew, task_lists(), again, out_of_time=delivery.out_of_time(context))
        count(worked.outcomes)
        return worked.failures

    return delivery.together(event, parse_task, recycle_all, retry=delivery.DUE_WORK)
