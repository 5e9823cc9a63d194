"""The tables of a small shop some days on, all in order: points granted and partly taken back, coupons of which one was
revoked and one used, and a reward that waits and holds a place."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from adapters.coupon_items import Coupon, coupon_item, entry_item, stock_key
from adapters.items import Item, history_item, order_item, reward_item
from adapters.wallet_items import RECLAIMS, granted, reclaimed
from ops.audit.export import TABLES
from ops.audit.scan import write
from rewards.history import HistoryItem, change_between
from rewards.order import Return, ReturnedLine
from rewards.promotion import ByDateTime, Days, ECoupon, Tier
from rewards.provider import Member, PointsGrant
from rewards.reward import Place, Reward
from rewards.status import Status
from tests.builders import NOW, ORDERED_AT, a_paid_order, a_promotion, a_reward, its_due_keys

READ_AT = NOW + timedelta(days=10)
LATER = datetime(2026, 12, 24, 4, tzinfo=UTC)
M1 = Member("1", "M1")
LINES = ("L1", "L2")
GRANT_KEY = "1#TG20193021#points#grant#0"

ORDER = a_paid_order(
    2,
    returns={"R0": Return((ReturnedLine("L2", 1),), ORDERED_AT + timedelta(days=8))},
    decisions={"points": "matched", "coupons": "matched", "waits": "matched", "other": "sold in another shop"},
)
TEA = ECoupon("TEA", tiers=(Tier(Decimal(1000), quantity=1), Tier(Decimal(2000), quantity=3)))


def changed(row: Reward, **fields: Any) -> Reward:
    return row.change("it happened", by="test", at=NOW, **fields)


POINTS = a_reward(promotion_id="points", points=100, due=None, booking_time=datetime(2026, 11, 9, 17, tzinfo=UTC))
GRANTED = changed(POINTS, status=Status.REWARD, is_reward=True, granted_at=NOW)
RECYCLED = changed(GRANTED, is_recycle=True, recycle_points=50, recycle_seq=1)

COUPONS = a_reward(
    promotion_id="coupons",
    reward_type="ECoupon",
    points=3,
    due=None,
    rule=a_promotion(TEA, timing=Days(0)).rule,
    booking_time=ORDERED_AT,
)
ISSUED = changed(COUPONS, status=Status.REWARD, is_reward=True, granted_at=NOW, codes=("A", "B", "C"))
REVOKED = changed(
    ISSUED, is_recycle=True, recycle_points=1, shortfall=1, recycle_seq=1, revoked_codes=("B",), used_codes=("A",)
)  # fmt: skip

WAITS = a_reward(
    promotion_id="waits",
    due=None,
    rule=a_promotion(timing=ByDateTime(LATER)).rule,
    booking_time=LATER,
    place=Place(3, of_member=True),
)
DUE = its_due_keys(WAITS)

LIVES = ((POINTS, GRANTED, RECYCLED), (COUPONS, ISSUED, REVOKED), (WAITS,))


class Exported:
    """The items by table, each under a name by which a test finds it to spoil it."""

    def __init__(self) -> None:
        self.ledger: dict[str, Item] = {"order": order_item(ORDER)}
        for life in LIVES:
            *_, last = life
            self.keep(last)
            for before, after in zip([None, *life], life, strict=False):
                if change := change_between(before, after):
                    item = HistoryItem.of(change)
                    self.ledger[f"{after.id.promotion_id} {item.version}"] = history_item(item)
        self.wallet = {
            "grant": granted(PointsGrant(GRANT_KEY, M1, 100, "points")),
            "reclaim": reclaimed(M1, "1#TG20193021#points#reclaim#0", 50, asked=50, grant_key=GRANT_KEY),
            "reclaims": {"Member": {"S": "1#M1"}, "Item": {"S": RECLAIMS}, "Count": {"N": "1"}},
        }
        self.coupons = {
            "issue": entry_item("1#TG20193021#coupons#grant#0", M1, Template="TEA", Quantity=3, Codes=["A", "B", "C"]),
            "revoke": entry_item("1#TG20193021#coupons#reclaim#0", M1, Revoked=["B"], Used=["A"]),
            "A": coupon_item(Coupon(M1, "A", "TEA", "used")),
            "B": coupon_item(Coupon(M1, "B", "TEA", "revoked")),
            "C": coupon_item(Coupon(M1, "C", "TEA", "issued")),
            "stock": stock_key("1", "TEA") | {"Left": {"N": "7"}, "Issued": {"N": "3"}},
        }
        self.quota = {
            "shard": {"Counted": {"S": "1#waits#SHARD#3"}, "Used": {"N": "1"}},
            "member": {"Counted": {"S": "1#waits#MEMBER#M1"}, "Used": {"N": "1"}},
        }

    def keep(self, row: Reward) -> None:
        """Put a reward into the ledger; the one that waits stands in the due index."""
        keys = {"BookingDateUTC": {"S": DUE.partition}, "BookingTimeUTC": {"S": DUE.sort}}
        is_owed = row.id == WAITS.id and row.status is Status.WAIT and row.held is None and row.due is None
        self.ledger[row.id.promotion_id] = reward_item(row) | (keys if is_owed else {})

    def write(self, folder: Path, at: datetime = READ_AT) -> None:
        for table in TABLES:
            write(folder, table, getattr(self, table).values(), at)
