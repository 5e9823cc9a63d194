"""How evenly a month of rewards falls due: rows by dispatch window, and by shard of the window.

    python -m bench.spread

The orders are made up, the placing is the system's own. Each day brings `ORDERS_A_DAY` orders, most of them at noon and
in the evening; on the 11th, the 18th and the last day of the month six times as many; half of them come from a tenth of
the members. Nine rewards in ten are owed seven days later, one in ten at a moment all customers were told.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from bench.table import Measured, progress, show
from rewards.booking_time import Buckets, booking_time
from rewards.due import due_keys
from rewards.order import Order, OrderId
from rewards.promotion import ByDateTime, Days
from rewards.reward import RewardId
from rewards.windows import reward_window

PART = "Spread of a month's rewards"
ZONE = ZoneInfo("Asia/Taipei")
HOUR = timedelta(hours=1)
FIRST_DAY = datetime(2026, 11, 1, tzinfo=ZONE)
DAYS = 30
ORDERS_A_DAY = 3_000
PROMOTION_DAYS = {11: 6, 18: 6, 30: 6}
HOURS = (2, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 9, 8, 6, 5, 5, 6, 7, 9, 12, 13, 10, 5)
"""How the orders of a day are spread over its hours."""

MEMBERS = 20_000
DATED_IN = 10
TOLD = datetime(2026, 11, 20, 20, tzinfo=ZONE)
BUCKET_COUNTS = (1, 3, 6, 24)
SHARDS = 16


class Owed(NamedTuple):
    """One order's reward."""

    order: Order
    member_id: str
    ordered_at: datetime
    promotion_id: str
    timing: Days | ByDateTime


def measure() -> list[Measured]:
    rewards = list(a_month())
    measured = [Measured(PART, "orders of the month", f"{len(rewards):,}")]
    for count in BUCKET_COUNTS:
        progress(f"a month in {count} buckets")
        measured += _spread(rewards, Buckets(count=count, start_hour=0))
    return measured


def a_month() -> Iterable[Owed]:
    """Always the same month."""
    chance = Random(20261101)  # noqa: S311
    for day in range(DAYS):
        for number in range(ORDERS_A_DAY * PROMOTION_DAYS.get(day + 1, 1)):
            hour = chance.choices(range(24), HOURS)[0]
            at = FIRST_DAY + timedelta(days=day, hours=hour, seconds=chance.random() * 3600)
            member = chance.randrange(MEMBERS // 10 if chance.random() < 0.5 else MEMBERS)
            order = Order(id=OrderId("1", f"TG{day:02}{number:07}"), ordered_at=at)
            timing = Days(days=7) if number % DATED_IN else ByDateTime(at=TOLD)
            yield Owed(order, f"M{member}", at, "28343", timing)


def _spread(rewards: list[Owed], buckets: Buckets) -> Iterable[Measured]:
    half_open: Counter[datetime] = Counter()
    closed: Counter[datetime] = Counter()
    of_shard: Counter[tuple[datetime, str]] = Counter()
    delayed: Counter[datetime] = Counter()
    for order, member_id, ordered_at, promotion_id, timing in rewards:
        due = booking_time(timing, order, promotion_id, zone=ZONE, buckets=buckets)
        assert due  # noqa: S101 - nothing here waits for a parcel
        window = reward_window(due + HOUR, None, HOUR)
        half_open[window.start] += 1
        closed.update(start for start in (window.start - HOUR, window.start) if start <= due <= start + HOUR)
        if isinstance(timing, Days):
            delayed[window.start] += 1
            place = due_keys(
                "reward", due, due, RewardId(*order.id, promotion_id), member_id, ordered_at, shards=SHARDS, period=HOUR
            )  # fmt: skip
            of_shard[window.start, place.partition] += 1
    windows = DAYS * 24
    mean = len(rewards) / windows  # each reward once, also where a closed window has it twice
    name = f"{buckets.count} bucket{'s' * (buckets.count > 1)}"
    twice = {kind: windows_of.total() - len(rewards) for kind, windows_of in (("closed", closed), ("half", half_open))}
    yield Measured(PART, f"{name}: rows in two windows, closed as in the source system", f"{twice['closed']:,}")
    yield Measured(PART, f"{name}: rows in two windows, half-open", f"{twice['half']:,}", "0", twice["half"] == 0)
    yield Measured(PART, f"{name}: worst window over the mean, closed", _over_mean(closed, mean))
    yield Measured(PART, f"{name}: worst window over the mean, half-open", _over_mean(half_open, mean))
    yield Measured(PART, f"{name}: the same without dated rewards", _over_mean(delayed, delayed.total() / windows))
    worst = max(delayed, key=lambda start: delayed[start])
    shards = Counter({key: rows for key, rows in of_shard.items() if key[0] == worst})
    yield Measured(
        PART, f"{name}: worst shard of that window over the mean shard", _over_mean(shards, shards.total() / SHARDS)
    )


def _over_mean(rows: Counter[Any], mean: float) -> str:
    most = max(rows.values())
    return f"{most / mean:.1f} ({most:,} rows)"


if __name__ == "__main__":
    show(measure())
