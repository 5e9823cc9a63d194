"""A rush: many orders come for few places at the same moment, against a DynamoDB that really takes them at once.

moto is not asked: its transactions from several threads undo each other's writes.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from ops.embedded import cloud
from rewards.occupying import occupy
from rewards.promotion import Quota
from tests.builders import ORDERED_AT, a_promotion, an_order
from tests.fakes.tables import make_ledger_table, make_table
from tests.fakes.world import TIMETABLE, MemoryPromotions, MemoryTimers
from tests.ports import own_ports
from tests.rewards.events import placed

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PLACES, TOO_MANY, THREADS = 20, 12, 16


@pytest.fixture
def client(tmp_path: Path) -> Iterator["DynamoDBClient"]:
    running = cloud.start(tmp_path, "rush", ports=own_ports())
    try:
        yield boto3.client(
            "dynamodb", endpoint_url=running.endpoint, config=Config(max_pool_connections=THREADS)
        )  # fmt: skip
    finally:
        cloud.stop(tmp_path, running)


def test_of_so_many_orders_at_once_exactly_as_many_get_a_place_as_there_are(client: "DynamoDBClient") -> None:
    make_ledger_table(client, "ledger")
    make_table(client, "quota", "Counted")
    quota = DynamoQuota(client, "quota")
    promotion = a_promotion(quota=Quota(total=PLACES, per_member=1, occupy=True))
    promotions, together = MemoryPromotions(promotion), Barrier(THREADS)

    def come(number: int) -> str:
        order = an_order(order_group=f"TG{number}", member_id=f"M{number}")
        ledger = DynamoLedger(client, "ledger", quota)
        together.wait()
        (outcome,) = occupy(placed(order), ledger, promotions, MemoryTimers(), timetable=TIMETABLE, now=ORDERED_AT)
        return type(outcome).__name__

    with ThreadPoolExecutor(THREADS) as threads:
        outcomes = Counter(threads.map(come, range(PLACES + TOO_MANY)))
    assert outcomes == {"Occupied": PLACES, "FoundNoPlace": TOO_MANY}
    assert sum(quota.used(promotion).shards) == PLACES
