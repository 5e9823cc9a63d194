"""Workers at the same instant, as threads against a DynamoDB that answers in any order: one grant, one probe."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import boto3
import pytest

from adapters.breakers import DynamoBreakers
from adapters.items import reward_item
from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from adapters.wallet import DynamoWallet
from ops.embedded import cloud
from rewards.breaker import Breaker
from rewards.claiming import Worker
from rewards.granting import giving_points, grant
from rewards.outcomes import Granted, LostRace, NotOwed, OfReward
from rewards.pooling import alone
from rewards.provider import Member, NotNow
from rewards.reward import Reward
from rewards.routing import RECYCLES, RewardQueue
from rewards.status import Status
from tests.builders import NOW, a_reward
from tests.fakes.queues import MemoryQueues
from tests.fakes.tables import make_ledger_table, make_table
from tests.fakes.world import LEASE, PATIENCE, STOCK_PATIENCE, TIMETABLE
from tests.ports import own_ports

WORKERS = 8
MEMBER = Member("1", "M1")


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cloud with nothing on it but the tables."""
    folder: Path = tmp_path_factory.mktemp("bare")
    running = cloud.start(folder, "cloud", ports=own_ports())
    try:
        client = a_client(running.endpoint)
        make_ledger_table(client, "ledger")
        make_table(client, "quota", "Counted")
        make_table(client, "wallet", "Member", "Item")
        make_table(client, "control", "Item")
        yield running.endpoint
    finally:
        cloud.stop(folder, running)


def a_client(endpoint: str) -> Any:
    return boto3.client("dynamodb", endpoint_url=endpoint, region_name=cloud.REGION)


def at_once(endpoint: str, act: Callable[[Any, int], OfReward | bool]) -> list[OfReward | bool]:
    """What came of it for each of the workers, who all begin together, with clients of their own."""
    barrier = Barrier(WORKERS)
    clients = [a_client(endpoint) for _ in range(WORKERS)]

    def begin(worker: int) -> OfReward | bool:
        barrier.wait()
        return act(clients[worker], worker)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(begin, range(WORKERS)))


def test_a_message_that_all_workers_have_at_once_is_granted_by_one(endpoint: str) -> None:
    for number in range(10):
        row = a_reward(order_group=f"TG{number}")
        a_client(endpoint).put_item(TableName="ledger", Item=reward_item(row))

        def grant_it(client: Any, worker: int, row: Reward = row) -> OfReward:
            ledger = DynamoLedger(client, "ledger", DynamoQuota(client, "quota"))
            give, recycles = giving_points(DynamoWallet(client, "wallet")), RewardQueue(RECYCLES, MemoryQueues())
            who = Worker("grant_points", f"invocation-{worker}", NOW, LEASE, PATIENCE, STOCK_PATIENCE)
            return alone(grant(row.id, give, recycles, worker=who, timetable=TIMETABLE), ledger)

        outcomes = Counter(type(outcome) for outcome in at_once(endpoint, grant_it))
        assert outcomes[Granted] == 1
        assert outcomes[LostRace] + outcomes[NotOwed] == WORKERS - 1
        client = a_client(endpoint)
        granted = DynamoLedger(client, "ledger", DynamoQuota(client, "quota")).reward(row.id)
        assert granted
        assert (granted.status, granted.lock, granted.version) == (Status.REWARD, None, row.version + 2)
        account = DynamoWallet(client, "wallet").account(MEMBER)
        assert account.balance == 50 * (number + 1) == 50 * len(account.entries)


def test_of_workers_that_want_to_probe_at_once_one_does(endpoint: str) -> None:
    breakers = DynamoBreakers(a_client(endpoint), "control")
    opened = Breaker().failed(NotNow("503", timedelta(hours=1)), NOW, is_first=True)
    assert breakers.write_breaker("points", Breaker(), opened)
    for probes in range(10):
        before = breakers.breaker("points")

        def probe(client: Any, _: int, before: Breaker = before, probes: int = probes) -> bool:
            after = before.probed(NOW + timedelta(hours=1, minutes=probes))
            return DynamoBreakers(client, "control").write_breaker("points", before, after)

        assert sum(map(bool, at_once(endpoint, probe))) == 1
