"""Sweep: whatever is overdue is sent once more, unless its queue is busy already; for an open breaker, a few probes.

The timers of unpaid orders are started here too, a quarter of an hour before they are due, and all of them.
The schedule calls at least once and asynchronously; a run that fails is made up for by the next.
"""

from collections.abc import Callable, Container
from datetime import datetime, timedelta
from functools import partial

from aws_lambda_powertools.utilities.typing import LambdaContext

from bootstrap.breakers import breakers
from bootstrap.clock import now
from bootstrap.control import control
from bootstrap.due_index import due_index
from bootstrap.lists import task_lists
from bootstrap.outlets import outlet
from bootstrap.queues import timers
from bootstrap.settings import period, shards, sweep_grace, sweep_limit
from rewards.breaker import shut
from rewards.sweeping import StoodBack, sweep
from rewards.tasks import KINDS, Kind
from rewards.timers import sweep_timers
from telemetry import logger, metrics, tally, tell_unreadable

WAITED: dict[Kind, str] = {"reward": "OldestOverdueGrantMinutes", "recycle": "OldestOverdueRecycleMinutes"}
"""Since the slot of the oldest overdue row ended, and 0 where there is none; not told by a sweep that stands back."""

MINUTE = timedelta(minutes=1)


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: dict[str, object], context: LambdaContext) -> None:
    at, open_breakers = now(), shut(breakers())
    tally("OpenBreakers", len(open_breakers))
    for reward_type, breaker in open_breakers.items():
        logger.warning("a breaker is open", extra={"reward_type": reward_type, "breaker": breaker})
    parts = [partial(_start_timers, at), *(partial(_send_overdue, kind, at, open_breakers) for kind in KINDS)]
    if failures := [failure for part in parts if (failure := _failure(part))]:
        raise failures[0]


def _failure(sweep_one: Callable[[], None]) -> Exception | None:
    """What is overdue of one kind is not kept waiting by what fails in another."""
    try:
        sweep_one()
    except Exception as error:
        logger.exception("a part of the sweep failed")
        return error
    return None


def _start_timers(at: datetime) -> None:
    started = sweep_timers(due_index(), control(), timers(), now=at, shards=shards(), period=period())
    tally("StartedTimers", started.rewards)
    tell_unreadable(started.unreadable)


def _send_overdue(kind: Kind, at: datetime, open_breakers: Container[str]) -> None:
    outcome = sweep(
        kind, due_index(), control(), outlet, task_lists(), shut=open_breakers, now=at,
        grace=sweep_grace(), limit=sweep_limit(), shards=shards(), period=period(),
    )  # fmt: skip
    if isinstance(outcome, StoodBack):
        logger.warning("the queues are busy, so nothing overdue was sent", extra={"kind": kind})
        return
    tally("SweptRewards", outcome.rewards)
    tell_unreadable(outcome.unreadable)
    tally(WAITED[kind], outcome.waited // MINUTE)
