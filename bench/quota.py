"""How many orders a second get a place of one hot promotion, with its total counted in 1, 4 and 16 shards.

Run as `python -m bench.quota` in the project's folder. All three run against the same store in one go: the embedded
cloud's DynamoDB, with the real `occupy` in many threads. That store works one request at a time and so knows no
conflicts; here it is given DynamoDB's rule: while a transaction on an item is under way, 20 ms at least, another on the
same item is cancelled. Who meets one waits, as ever, in the jittered retries of our own code.
"""

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import msgspec
from botocore.config import Config

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from ops.embedded import cloud
from rewards.ledger import Contended
from rewards.occupying import occupy
from rewards.promotion import Promotion, Quota
from rewards.quota import Used
from tests.builders import ORDERED_AT, a_promotion, an_order
from tests.fakes.tables import make_ledger_table, make_table
from tests.fakes.world import TIMETABLE, MemoryPromotions, MemoryTimers
from tests.rewards.events import placed

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PLACES, TOO_MANY, THREADS = 400, 100, 16
UNDER_WAY_SECONDS = 0.02


class FewerShards(DynamoQuota):
    """Counts of which only the first few are looked at: the total is shared out to as many as are seen."""

    def __init__(self, client: "DynamoDBClient", table: str, shards: int) -> None:
        super().__init__(client, table)
        self._shards = shards

    def used(self, promotion: Promotion, member_id: str | None = None) -> Used:
        used = super().used(promotion, member_id)
        return Used(used.shards[: self._shards], used.member)


class Conflicts:
    """DynamoDB's rule for transactions, at the client: of two at once on one item the later is cancelled."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self.met = 0
        self._client = client
        self._under_way: set[str] = set()
        self._mine = threading.local()
        self._guard = threading.Lock()
        client.meta.events.register("before-call.dynamodb.TransactWriteItems", self._begin)
        client.meta.events.register("after-call.dynamodb.TransactWriteItems", self._end)

    def _begin(self, params: dict[str, Any], **_: Any) -> None:
        items = _items_of(msgspec.json.decode(params["body"])["TransactItems"])
        with self._guard:
            taken = [item in self._under_way for item in items]
            self.met += any(taken)
            if not any(taken):
                self._under_way.update(items)
                self._mine.items = items
                return
        reasons = [{"Code": "TransactionConflict" if met else "None"} for met in taken]
        answer: Any = {"Error": {"Code": "TransactionCanceledException", "Message": ""}, "CancellationReasons": reasons}
        raise self._client.exceptions.TransactionCanceledException(answer, "TransactWriteItems")

    def _end(self, **_: Any) -> None:
        time.sleep(UNDER_WAY_SECONDS)
        with self._guard:
            self._under_way.difference_update(self._mine.items)


def main() -> None:
    print(f"{PLACES} places, {PLACES + TOO_MANY} orders at once from {THREADS} threads; one run each")
    print("shards  orders/s  conflicts  conflicts/order  got a place  put off")
    with a_store() as store:
        for shards in (1, 4, 16):
            print(rush(a_client(store), shards))


def rush(client: "DynamoDBClient", shards: int) -> str:
    """Let all orders come at once, and say in a line of the table how it went."""
    ledger_table, quota_table = f"ledger-{shards}", f"quota-{shards}"
    make_ledger_table(client, ledger_table)
    make_table(client, quota_table, "Counted")
    ledger = DynamoLedger(client, ledger_table, FewerShards(client, quota_table, shards))
    promotions, timers = MemoryPromotions(a_promotion(quota=Quota(total=PLACES, occupy=True))), MemoryTimers()
    conflicts = Conflicts(client)

    def come(number: int) -> str:
        order = an_order(order_group=f"TG{number}", member_id=f"M{number}")
        try:
            (outcome,) = occupy(placed(order), ledger, promotions, timers, timetable=TIMETABLE, now=ORDERED_AT)
        except Contended:
            return "put off"
        return type(outcome).__name__

    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        outcomes = Counter(threads.map(come, range(PLACES + TOO_MANY)))
    seconds, orders = time.perf_counter() - began, outcomes.total()
    return (
        f"{shards:6}  {orders / seconds:8.0f}  {conflicts.met:9}  {conflicts.met / orders:15.2f}"
        f"  {outcomes['Occupied']:11}  {outcomes['put off']:7}"
    )


@contextmanager
def a_store() -> Iterator[str]:
    """The address of the embedded cloud's DynamoDB, which runs on a free port for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        running = cloud.start(Path(folder), "bench")
        try:
            yield running.endpoint
        finally:
            cloud.stop(Path(folder), running)


def a_client(store: str) -> "DynamoDBClient":
    return boto3.client(
        "dynamodb",
        endpoint_url=store,
        region_name=cloud.REGION,
        aws_access_key_id=cloud.CREDENTIALS,
        aws_secret_access_key=cloud.CREDENTIALS,
        config=Config(max_pool_connections=THREADS),
    )


def _items_of(actions: list[dict[str, dict[str, Any]]]) -> list[str]:
    """What identifies the item of each action: its table and its key."""
    written = [next(iter(action.values())) for action in actions]
    keys = [each.get("Key") or {name: each["Item"][name] for name in ("Order", "Item")} for each in written]
    return [f"{each['TableName']} {key}" for each, key in zip(written, keys, strict=True)]


if __name__ == "__main__":
    main()
