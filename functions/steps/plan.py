"""Plan: the windows that are due go to the dispatchers, since the last run or for a time that is asked for again.

The schedule calls at least once and asynchronously; a run that fails is tried twice more, and the next catches it up.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

from bootstrap.clock import now
from bootstrap.control import control
from bootstrap.queues import windows
from bootstrap.settings import dispatch_spread, period, shards
from rewards.planning import parse_run, plan
from telemetry import logger, metrics, tally


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: dict[str, object], context: LambdaContext) -> dict[str, object]:
    at = now()
    planned = plan(
        parse_run(event, at), control(), windows(), now=at, period=period(), shards=shards(), spread=dispatch_spread()
    )
    tally("PlannedWindows", planned.messages)
    return {"start": planned.start.isoformat(), "end": planned.end.isoformat(), "messages": planned.messages}
