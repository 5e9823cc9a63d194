"""What a million delayed rewards of points are billed: ours, the source system's way, and two that AWS suggests.

Run as `python -m bench.prices [REWARDS]` in the project's folder. Ours and the source system's are counted from the
calls they make, ours by the real handlers. What no call shows is worked out alike for all: that each message is
received and deleted in tens, and that a function waits 5 ms for each call with 512 MB. A timer for each reward has our
ledger and grants, with the timer in the place of the due index's dispatch.

Who states the rules that are used here and not in `counting`:

- Lambda bills each millisecond begun. https://aws.amazon.com/lambda/pricing/
- Its requests to SQS are billed, also when the queue was empty; those are left out.
  https://aws.amazon.com/premiumsupport/knowledge-center/sqs-high-charges/
- Its reads of a DynamoDB stream are free.
  https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CostOptimization_StreamsUsage.html
"""

import io
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from datetime import timedelta
from typing import Any

import boto3

from bench.counting import Asked, Counting, billed
from bench.price_list import dollars
from bench.source_way import SourceSystem
from bench.table import Measured, progress, show
from bench.units import AWS, a_stack, paid
from tests.builders import a_promotion
from tests.fakes.aws import Aws
from tests.faults.resources import make_resources
from tests.steps.due import LEAVES_AT

PART = "List price of a million delayed rewards"
REWARDS = 1_000
TASK_REWARDS = 25
TOGETHER = 10
"""Messages that are received, worked and deleted together, at most."""

CALL_SECONDS, GIGABYTES = 0.005, 0.5
STREAM_READERS, CHANGES, STREAM_TOGETHER = 2, 3, 100
"""`publish` and `audit` read each change of a row - booked, claimed, settled - in batches."""

SOURCE = "the source system's way"
AT_SCHEDULE = "an EventBridge at() schedule each"
STEP_FUNCTIONS = "a Step Functions wait each"
BUCKETS = 3
HOUR = timedelta(hours=1)
EVENTS = "EventBridge events"
RELEASING = ("plan", "dispatch", "sweep")
"""The steps whose place a timer for each reward would take."""

WAITING: dict[str, Any] = {
    "StartAt": "UntilDue",
    "States": {
        "UntilDue": {"Type": "Wait", "TimestampPath": "$.booking_time", "Next": "Grant"},
        "Grant": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "End": True},
    },
}
"""The least that waits and grants, at the least it can be billed: each state that is entered is a transition.

AWS counts one "each time a step of your workflow is executed" (https://aws.amazon.com/step-functions/pricing/) and does
not say there whether the start is one too, as others reckon: it would be another $25 a million.
"""

Bill = Mapping[str, float]


def measure(rewards: int = REWARDS) -> list[Measured]:
    progress(f"Ours: {rewards:,} rewards, every request counted")
    with redirect_stdout(io.StringIO()):  # where the metrics go
        ours = counted_ours(rewards)
    progress(f"The source system's way: {rewards:,} rewards, every request counted")
    source = counted_source(rewards)
    counted = {"ours": ours, SOURCE: source}
    unreleased = [each for each in ours if each.by not in RELEASING]
    stream = STREAM_READERS * CHANGES / STREAM_TOGETHER
    bills: dict[str, Bill] = {
        "ours": _bill(ours, rewards, messages=1 + 1 / TASK_REWARDS, delivered=1, batches=stream),
        SOURCE: _bill(source, rewards, messages=1 + _sends(source) / rewards, delivered=1, batches=0),
        AT_SCHEDULE: _bill(
            unreleased, rewards, messages=2, delivered=2, batches=stream, more={"Scheduler invocations": 1}
        ),
        STEP_FUNCTIONS: _bill(
            unreleased,
            rewards,
            messages=1,
            delivered=1,
            batches=stream + 1,
            more={"Step Functions transitions": len(WAITING["States"])},
        ),
    }
    sums = {way: _millions(bill) for way, bill in bills.items()}
    most, silent = sums[SOURCE], sums["ours"] - _millions({EVENTS: bills["ours"][EVENTS]})
    return [
        Measured(PART, "ours", f"${sums['ours']:.2f}", f"< ${most:.2f}", sums["ours"] < most),
        Measured(
            PART,
            "ours without the events out, which the source does not send",
            f"${silent:.2f}",
            f"< ${most:.2f}",
            silent < most,
        ),
        *(Measured(PART, way, f"${total:.2f}") for way, total in sums.items() if way != "ours"),
        *(Measured(PART, f"calls per reward, {way}", f"{len(asked) / rewards:.2f}") for way, asked in counted.items()),
        *(row for way, bill in bills.items() for row in _told(way, bill)),
    ]


def counted_ours(rewards: int) -> list[Asked]:
    """Every request of the real handlers, from the paid orders until their rewards are granted and told of."""
    with a_stack() as stack:
        stack.begin(a_promotion())
        stack.counting.asked.clear()
        stack.tell(*map(paid, range(rewards)))
        stack.work()
        for hours in range(BUCKETS - 1, -1, -1):
            stack.travel(LEAVES_AT - hours * HOUR)
            stack.work()
        granted = sum(row.is_reward for row in stack.stream.rows().values())
        assert granted == rewards, f"{granted} of {rewards} were granted"  # noqa: S101
        return stack.counting.asked


def counted_source(rewards: int) -> list[Asked]:
    """Every request of the source system's way, over the same road."""
    aws, heard, looking = Aws(), _session(), _session()
    for each in (heard, looking):
        aws.answers(each)
    aws.forget()
    make_resources(looking)
    counting = Counting(looking)
    counting.hears(heard)
    source = SourceSystem(heard)
    for order in range(rewards):
        source.paid(order)
        source.book(order)
    for shard in sorted(source.shards):
        source.dispatch(shard)
    granted = sum(map(source.grant, source.groups))
    assert granted == rewards, f"{granted} of {rewards} were granted"  # noqa: S101
    aws.close()
    return counting.asked


def _session() -> boto3.Session:
    return boto3.Session(AWS["AWS_ACCESS_KEY_ID"], AWS["AWS_SECRET_ACCESS_KEY"], region_name=AWS["AWS_DEFAULT_REGION"])


def _bill(
    asked: list[Asked],
    rewards: int,
    *,
    messages: float,
    delivered: float,
    batches: float,
    more: Bill | None = None,
) -> Bill:
    """A reward's: what was asked, and what no call shows.

    Its `messages` are received and deleted in tens, as many invocations; `delivered` of them are sent by EventBridge or
    Scheduler and not by a step; `batches` are its share of other invocations.
    """
    bill = {name: amount / rewards for name, amount in billed(asked).items()}
    woken = messages / TOGETHER + batches
    unseen = {
        "SQS requests": delivered + 2 * messages / TOGETHER,
        "Lambda requests": woken,
        "Lambda GB-seconds": len(asked) / rewards * CALL_SECONDS * GIGABYTES,
    }
    return Counter(bill) + Counter(unseen) + Counter(more or {})


def _sends(asked: list[Asked]) -> int:
    return sum(each.operation == "SendMessage" for each in asked)


def _millions(bill: Bill) -> float:
    """Dollars of a million rewards."""
    return sum(dollars(bill).values()) * 1_000_000


def _told(way: str, bill: Bill) -> Iterator[Measured]:
    """The sum, line by line."""
    for name, amount in sorted(bill.items()):
        yield Measured(f"{PART}: {way}", f"{amount:.2f} {name} a reward", f"${_millions({name: amount}):.2f}")


if __name__ == "__main__":
    show(measure(*map(int, sys.argv[1:])))
