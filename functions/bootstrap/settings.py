"""What the stack tells the functions of itself, in their environment.

A step reads just the settings it needs, and KeyError names the one that is missing.
"""

import os
from datetime import timedelta
from functools import cache

from rewards.windows import check_period


def setting(name: str) -> str:
    return os.environ[name]


def number(name: str) -> int:
    return int(setting(name))


@cache
def period() -> timedelta:
    """How often rewards are dispatched. Raises ValueError for a period that no day can be cut into."""
    period = timedelta(minutes=number("DISPATCH_PERIOD_MINUTES"))
    check_period(period)
    return period


def shards() -> int:
    return number("SHARDS")


def dispatch_spread() -> timedelta:
    return timedelta(seconds=number("DISPATCH_SPREAD_SECONDS"))


def import_spread() -> timedelta:
    return timedelta(seconds=number("IMPORT_SPREAD_SECONDS"))


def sweep_grace() -> timedelta:
    return timedelta(minutes=number("SWEEP_GRACE_MINUTES"))


def sweep_limit() -> int:
    return number("SWEEP_LIMIT")


@cache
def published_events() -> frozenset[str]:
    """Names of the reward events that go out; the others are nobody's business."""
    return frozenset(setting("PUBLISHED_EVENTS").split(","))


def has_http_provider() -> bool:
    """Whether points and coupons are with somebody else's service, instead of in the wallet that is built in."""
    return setting("PROVIDER") == "http"


def is_clock_moved() -> bool:
    """Whether the clock is the embedded cloud's, which an operator may move: time is time on AWS."""
    return os.environ.get("EMBEDDED_CLOCK") == "true"
