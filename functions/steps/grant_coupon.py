"""Grant coupons: claim each reward whose time has come, have the provider issue its coupons, settle.

What is out of stock is booked again for the next restocking hour. Two queues feed it: what is due at once, and what
the dispatcher released. A reward that cannot be settled is tried three times, then left to the sweep.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.coupons import coupons
from bootstrap.ledger import ledger
from bootstrap.lists import task_lists
from bootstrap.queues import recycles, tasks
from bootstrap.timetable import timetable
from bootstrap.working import guard, worker
from rewards.granting import giving_coupons, grant
from rewards.messages import Message
from rewards.outcomes import OfReward
from rewards.reward import RewardId
from rewards.tasks import parse_task
from rewards.working import work
from telemetry import count, logger, metrics


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    guarded = guard("coupons")
    give = guarded.telling(giving_coupons(coupons()))
    claimant = worker("grant_coupon", context.aws_request_id)

    @guarded.heeding
    def grant_one(id: RewardId) -> OfReward:
        return grant(id, ledger(), give, recycles(), worker=claimant, timetable=timetable())

    def grant_task(message: Message) -> None:
        task, again = parse_task(message.body), tasks("grant_coupon_low")
        count(work(task, grant_one, task_lists(), again, out_of_time=delivery.out_of_time(context)))

    return delivery.each(event, grant_task, retry=delivery.DUE_WORK)
