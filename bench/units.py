"""What a plain delayed reward is billed at DynamoDB, counted from the calls of the real handlers.

Orders of two lines are paid, each by a member of its own, and each earns points under one promotion, a week later. They
are booked, planned, dispatched, granted and published in this process, against MiniStack's tables, and every request is
taken down with the sizes of the items it found and left. What a run costs whatever it finds, such as moving its cursor,
is shared by its rewards like all else.

Run as `python -m bench.units [ORDERS]` in the project's folder.
"""

import io
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import boto3
import time_machine

from bench.counting import Counting, billed
from bench.price_list import dollars
from bench.table import Measured, show
from bootstrap import clients
from tests.builders import ORDERED_AT, a_promotion
from tests.fakes.aws import Aws
from tests.fakes.provider_server import provider_server
from tests.faults.resources import DRAINED_BY, QUEUE, SECRET, bucket_name
from tests.faults.stack import HOUR, Answer, Stack
from tests.steps.conftest import BUCKETS, SETTINGS, TABLES
from tests.steps.due import LEAVES_AT
from tests.steps.orders import PAID, an_event

ORDERS = 500
AWS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "ap-northeast-1"}
STILL = {"REWARDS_BUS": "rewards", "SHARDS": "1", "DISPATCH_SPREAD_SECONDS": "0", "PROVIDER_SECRET": SECRET}
"""Where time stands still, nothing may wait for a minute."""
PART = "DynamoDB units per reward"
WRITE_UNITS_MOST = 13
WRITE_UNITS_BEFORE = 15.10
"""Counted by this program on 30 November 2026 at commit 6032087, for as many orders; decision 32 has it by item."""


class CountedStack(Stack):
    """A stack that knows which step asks."""

    counting: Counting

    def _call(self, step: str, event: dict[str, Any], *, tries: int = 1) -> Answer | None:
        with self.counting.of(step):
            return super()._call(step, event, tries=tries)


def measure(orders: int = ORDERS) -> list[Measured]:
    """The units by step, then by item; all of one reward."""
    counting = counted(orders)
    bill = billed(counting.asked)
    writes, reads = bill["DynamoDB write units"] / orders, bill["DynamoDB read units"] / orders
    price = sum(dollars(_units(bill)).values()) / orders * 1_000_000
    return [
        Measured(
            PART,
            f"write units, all steps ({WRITE_UNITS_BEFORE:.2f} when balances were stored)",
            f"{writes:.2f}",
            f"≤ {WRITE_UNITS_MOST}",
            writes <= WRITE_UNITS_MOST,
        ),
        Measured(PART, "read units, all steps", f"{reads:.2f}"),
        Measured(
            PART,
            "list price of both, a million rewards",
            f"${price:.2f}",
        ),
        *_by_step(counting, orders),
        *_by_item(counting, orders),
    ]


def counted(orders: int) -> Counting:
    """Everything that was asked from when the orders were paid until their rewards were granted and told of."""
    with a_stack() as stack:
        stack.begin(a_promotion())
        stack.counting.asked.clear()
        stack.counting.written.clear()
        stack.tell(*map(paid, range(orders)))
        stack.work()
        for hours in (2, 1, 0):  # one for each bucket
            stack.travel(LEAVES_AT - hours * HOUR)
            stack.rest()
        granted = [row.is_reward for row in stack.stream.rows().values()]
        assert granted == [True] * orders, "every reward is granted"  # noqa: S101
        return stack.counting


def paid(number: int) -> str:
    """The golden event, of another order and member each time."""
    event = json.loads(PAID)
    order = event["detail"]["order"] | {"member_id": f"00{number:05}"}
    return an_event("PaymentCompleted", event_id=f"evt-paid-{number}", order_group=f"TG2019{number:04}", order=order)


@contextmanager
def a_stack() -> Iterator[CountedStack]:
    """The stack in this process, where every call of the system's own clients is counted."""
    names = {name: name for name in ("LEDGER_TABLE", "LETTERS_TABLE", *TABLES)}
    buckets = {bucket: bucket_name(bucket) for bucket in BUCKETS}
    queues = {queue: QUEUE + queue for queue in DRAINED_BY if queue.isupper()}
    os.environ |= {**AWS, **SETTINGS, **names, **buckets, **queues, **STILL}
    aws, session, looking = Aws(), boto3.Session(), boto3.Session()
    system = boto3.Session(botocore_session=clients.session())
    for each in (session, looking, system):
        aws.answers(each)
    quiet = redirect_stdout(io.StringIO())  # the steps print their metrics
    with quiet, provider_server() as service, time_machine.travel(ORDERED_AT, tick=False) as clock:
        stack = CountedStack(aws, session, system, service, clock)
        stack.counting = Counting(looking)
        stack.counting.hears(system)
        yield stack
    aws.close()


def _by_step(counting: Counting, orders: int) -> Iterator[Measured]:
    for step in dict.fromkeys(each.by for each in counting.asked):
        bill = billed(each for each in counting.asked if each.by == step)
        if units := _units(bill):
            told = [f"{amount / orders:.2f} {name.split()[1]}" for name, amount in units.items()]
            yield Measured(PART, step, ", ".join(told))


def _by_item(counting: Counting, orders: int) -> Iterator[Measured]:
    """What is written often enough to matter, with the size of the largest."""
    units: Counter[tuple[str, str]] = Counter()
    sizes: dict[tuple[str, str], int] = {}
    for each in counting.written:
        what = each.by, each.index_name or f"{each.table.removesuffix('_TABLE').lower()} {each.item}"
        units[what] += each.units
        sizes[what] = max(sizes.get(what, 0), each.size)
    for (step, item), amount in units.items():
        figure = f"{amount / orders:.2f}, at most {sizes[step, item]:,} B each"
        yield Measured(f"{PART}, by item written", f"{step}: {item}", figure)


def _units(bill: Counter[str]) -> dict[str, float]:
    return {name: amount for name, amount in sorted(bill.items()) if name.startswith("DynamoDB") and amount}


if __name__ == "__main__":
    show(measure(*map(int, sys.argv[1:])))
