"""Recycle coupons: claim each reward that is to be taken back, have as many coupons as are owed made void, settle.

How many is computed from row and order when the row is claimed; those the member has used are a shortfall.
"""

from collections.abc import Sequence

from aws_lambda_powertools.utilities.typing import LambdaContext

import bootstrap
import delivery
from rewards.guard import Outcomes
from rewards.pooling import pooled
from rewards.recycling import recycle, taking_back_coupons
from rewards.reward import RewardId
from rewards.tasks import Task, parse_task
from rewards.working import work
from telemetry import count, logger, metrics


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    guard, ledger, recycles = bootstrap.guard("coupons"), bootstrap.ledger(), bootstrap.recycles()
    take_back = guard.telling(taking_back_coupons(bootstrap.coupons()))
    worker, timetable = bootstrap.worker("recycle_coupon", context.aws_request_id), bootstrap.timetable()

    def recycle_some(ids: Sequence[RewardId]) -> Outcomes:
        works = {id: recycle(id, take_back, recycles, worker=worker, timetable=timetable) for id in ids}
        return pooled(works, ledger)

    def recycle_tasks(tasks: list[Task]) -> list[Exception | None]:
        crew = guard.heeding(recycle_some, take_back.together)
        again, out_of_time = bootstrap.tasks("recycle_coupon"), delivery.out_of_time(context)
        worked = work(tasks, crew, bootstrap.task_lists(), again, out_of_time=out_of_time)
        count(worked.outcomes)
        return worked.failures

    return delivery.together(event, parse_task, recycle_tasks, retry=delivery.DUE_WORK)
