"""Grant coupons: claim each reward whose time has come, have the provider issue its coupons, settle.

What is out of stock is booked again for the next restocking hour. Two queues feed it: what is due at once, and what
the dispatcher released. A reward that cannot be settled is tried three times, then left to the sweep.
"""

from collections.abc import Sequence

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.coupons import coupons
from bootstrap.ledger import ledger
from bootstrap.lists import task_lists
from bootstrap.queues import recycles, tasks
from bootstrap.timetable import timetable
from bootstrap.working import guard, worker
from rewards.granting import giving_coupons, grant
from rewards.guard import Outcomes
from rewards.pooling import pooled
from rewards.reward import RewardId
from rewards.tasks import Task, parse_task
from rewards.working import work
from telemetry import count, logger, metrics


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    guarded = guard("coupons")
    give = guarded.telling(giving_coupons(coupons()))
    claimant = worker("grant_coupon", context.aws_request_id)

    def grant_some(ids: Sequence[RewardId]) -> Outcomes:
        works = {id: grant(id, give, recycles(), worker=claimant, timetable=timetable()) for id in ids}
        return pooled(works, ledger())

    def grant_all(due: list[Task]) -> list[Exception | None]:
        crew, again = guarded.heeding(grant_some, give.together), tasks("grant_coupon_low")
        worked = work(due, crew, task_lists(), again, out_of_time=delivery.out_of_time(context))
        count(worked.outcomes)
        return worked.failures

    return delivery.together(event, parse_task, grant_all, retry=delivery.DUE_WORK)
