"""Sweep: whatever is overdue is sent once more, unless its queue is busy already; for an open breaker, a few probes.

The timers of unpaid orders are started here too, a quarter of an hour before they are due, and all of them.
The schedule calls at least once and asynchronously; a run that fails is made up for by the next.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import bootstrap
from rewards.breaker import shut
from rewards.sweeping import StoodBack, sweep
from rewards.tasks import KINDS
from rewards.timers import sweep_timers
from telemetry import logger, metrics, tally, tell_unreadable


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: dict[str, object], context: LambdaContext) -> None:
    now, open_breakers = bootstrap.now(), shut(bootstrap.breakers())
    tally("OpenBreakers", len(open_breakers))
    for reward_type, breaker in open_breakers.items():
        logger.warning("a breaker is open", extra={"reward_type": reward_type, "breaker": breaker})
    index, control, shards, period = bootstrap.due_index(), bootstrap.control(), bootstrap.shards(), bootstrap.period()
    timers = sweep_timers(index, control, bootstrap.timers(), now=now, shards=shards, period=period)
    tally("StartedTimers", timers.rewards)
    tell_unreadable(timers.unreadable)
    for kind in KINDS:
        outcome = sweep(
            kind, index, control, bootstrap.outlet, bootstrap.task_lists(), shut=open_breakers, now=now,
            grace=bootstrap.sweep_grace(), limit=bootstrap.sweep_limit(), shards=shards, period=period,
        )  # fmt: skip
        if isinstance(outcome, StoodBack):
            logger.warning("the queues are busy, so nothing overdue was sent", extra={"kind": kind})
        else:
            tally("SweptRewards", outcome.rewards)
            tell_unreadable(outcome.unreadable)
