"""What an outage of the provider costs, and how soon afterwards all is granted, for 2,000 rewards that are due.

Run as `python -m bench.outage` in the project's folder. Plan, dispatch, sweep, guard and grant are the real ones, on a
clock that waits for nothing.
"""

from datetime import UTC, datetime, timedelta

from rewards.provider import Unknown
from rewards.status import Status
from tests.fakes.stack import HOUR, Stack

REWARDS = 2_000
SEVEN = datetime(2026, 11, 9, 19, tzinfo=UTC)
COLUMNS = "{:>7} {:>9} {:>9} {:>10} {:>14} {:>15} {:>9} {:>11}"


def outage(hours: int) -> list[object]:
    back = SEVEN + hours * HOUR
    stack = Stack(SEVEN - HOUR, lambda at, _: Unknown("timeout") if SEVEN <= at < back else None)
    stack.owe(REWARDS, SEVEN - HOUR)
    stack.run(back - timedelta(seconds=1))
    queue = stack.queue("grant_points_low")
    cost = [len(stack.points.calls), queue.sent, queue.received, stack.breakers.reads, stack.breakers.writes]
    stack.run(back + HOUR)
    granted = [row.granted_at for row in stack.rows() if row.granted_at and row.status is Status.REWARD]
    return [*cost, len(granted), f"{(max(granted) - back).seconds // 60} min"]


def main() -> None:
    print(
        COLUMNS.format(
            "outage", "calls", "messages", "deliveries", "breaker reads", "breaker writes", "granted", "last after"
        )
    )
    for hours in (1, 8, 24, 71):
        print(COLUMNS.format(f"{hours} h", *outage(hours)))


if __name__ == "__main__":
    main()
