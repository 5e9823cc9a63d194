"""Recycle coupons: claim each reward that is to be taken back, have as many coupons as are owed made void, settle.

How many is computed from row and order when the row is claimed; those the member has used are a shortfall.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.coupons import coupons
from bootstrap.ledger import ledger
from bootstrap.lists import task_lists
from bootstrap.queues import recycles, tasks
from bootstrap.timetable import timetable
from bootstrap.working import guard, worker
from rewards.messages import Message
from rewards.outcomes import OfReward
from rewards.recycling import recycle, taking_back_coupons
from rewards.reward import RewardId
from rewards.tasks import parse_task
from rewards.working import work
from telemetry import count, logger, metrics


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    guarded = guard("coupons")
    take_back = guarded.telling(taking_back_coupons(coupons()))
    claimant = worker("recycle_coupon", context.aws_request_id)

    @guarded.heeding
    def recycle_one(id: RewardId) -> OfReward:
        return recycle(id, ledger(), take_back, recycles(), worker=claimant, timetable=timetable())

    def recycle_task(message: Message) -> None:
        task, again = parse_task(message.body), tasks("recycle_coupon")
        count(work(task, recycle_one, task_lists(), again, out_of_time=delivery.out_of_time(context)))

    return delivery.each(event, recycle_task, retry=delivery.DUE_WORK)
