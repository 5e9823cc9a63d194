"""Whose hands a reward is in while it is granted or taken back: this invocation's, and the next one starts anew."""

from datetime import timedelta

from bootstrap.breakers import breakers
from bootstrap.clock import now
from bootstrap.settings import number
from rewards.breaker import Provider
from rewards.claiming import Worker
from rewards.guard import Guard


def worker(step: str, token: str) -> Worker:
    """Who claims: `token` is this invocation's alone. The lease outlives it, and ends before its messages return."""
    return Worker(
        step,
        token,
        now(),
        lease=timedelta(seconds=number("LEASE_SECONDS")),
        patience=timedelta(hours=number("GIVE_UP_HOURS")),
        stock_patience=timedelta(days=number("STOCK_GIVE_UP_DAYS")),
    )


def guard(provider: Provider) -> Guard:
    """It looks at the breaker once, and tells it how the provider fares."""
    return Guard(provider, breakers(), now)
