"""How many rows a second one core audits, and in how much memory: an export is made, cut into parts, and compared.

Run as `python -m bench.audit [ORDERS]` in the project's folder. An order here has one reward of points that was taken
back in part: with history, wallet entries and their count eight items. Making the export is not counted; the seconds
are the processor's, in one process, so that a busy machine does not show.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from adapters.items import Item, history_item, order_item, reward_item
from adapters.wallet_items import RECLAIMS, account_name, granted, reclaimed
from ops.audit.export import TABLES
from ops.audit.run import audit
from ops.audit.scan import write
from rewards.history import HistoryItem, change_between
from rewards.order import Order, OrderId
from rewards.provider import Member, PointsGrant
from rewards.reward import RewardId
from tests.fakes.exported import GRANTED, ORDER, POINTS, READ_AT, RECYCLED
from tests.fakes.world import TIMETABLE

ORDERS = 50_000


def main() -> None:
    orders = int(sys.argv[1]) if len(sys.argv) > 1 else ORDERS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        items = {"ledger": ledger(orders), "wallet": wallet(orders), "coupons": iter(()), "quota": iter(())}
        for table in TABLES:
            write(folder, table, items[table], READ_AT)
        before = time.process_time()
        audited = audit(folder, TIMETABLE, processes=1)
        seconds = time.process_time() - before
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{audited.items:,} rows, {audited.rewards:,} of them rewards, {len(audited.findings):,} findings")
    print(f"{audited.items / seconds:,.0f} rows/s and core, {seconds:.1f} s, at most {megabytes:,} MB")


def ledger(orders: int) -> Iterator[Item]:
    for number in range(orders):
        order = an_order(number)
        own = {
            "id": RewardId(*order.id, "points"),
            "member_id": order.member_id,
            "booking_time": TIMETABLE.booking_time(POINTS.rule.timing, order, "points"),
        }
        life = [replace(row, **own) for row in (POINTS, GRANTED, RECYCLED)]
        yield order_item(order)
        for before, after in zip([None, *life], life, strict=False):
            if change := change_between(before, after):
                yield history_item(HistoryItem.of(change))
        yield reward_item(life[-1])


def an_order(number: int) -> Order:
    return replace(ORDER, id=OrderId("1", f"TG{number:09}"), member_id=f"M{number:09}", decisions={"points": "matched"})


def wallet(orders: int) -> Iterator[Item]:
    for number in range(orders):
        key, member = f"1#TG{number:09}#points", Member("1", f"M{number:09}")
        yield granted(PointsGrant(f"{key}#grant#0", member, 100, "points"))
        yield reclaimed(member, f"{key}#reclaim#0", 50, asked=50, grant_key=f"{key}#grant#0")
        yield {"Member": {"S": account_name(member)}, "Item": {"S": RECLAIMS}, "Count": {"N": "1"}}


if __name__ == "__main__":
    main()
