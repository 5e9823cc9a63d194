"""Grant points: claim each reward whose time has come, have the provider give it, settle.

Two queues feed it: what is due at once, and what the dispatcher released. A reward that cannot be settled is tried
three times, then left to the sweep.
"""

from collections.abc import Sequence

from aws_lambda_powertools.utilities.typing import LambdaContext

import bootstrap
import delivery
from rewards.granting import giving_points, grant
from rewards.guard import Outcomes
from rewards.pooling import pooled
from rewards.reward import RewardId
from rewards.tasks import Task, parse_task
from rewards.working import work
from telemetry import count, logger, metrics


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    guard, ledger, recycles = bootstrap.guard("points"), bootstrap.ledger(), bootstrap.recycles()
    give = guard.telling(giving_points(bootstrap.points()))
    worker, timetable = bootstrap.worker("grant_points", context.aws_request_id), bootstrap.timetable()

    def grant_some(ids: Sequence[RewardId]) -> Outcomes:
        works = {id: grant(id, give, recycles, worker=worker, timetable=timetable) for id in ids}
        return pooled(works, ledger)

    def grant_tasks(tasks: list[Task]) -> list[Exception | None]:
        crew = guard.heeding(grant_some, give.together)
        again, out_of_time = bootstrap.tasks("grant_points_low"), delivery.out_of_time(context)
        worked = work(tasks, crew, bootstrap.task_lists(), again, out_of_time=out_of_time)
        count(worked.outcomes)
        return worked.failures

    return delivery.together(event, parse_task, grant_tasks, retry=delivery.DUE_WORK)
