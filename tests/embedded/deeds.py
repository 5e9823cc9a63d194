"""What has each step do something: an event, and what it is about. Nothing is done twice under the same name."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec

from adapters.coupon_pool import DynamoCouponPool
from adapters.items import order_item, reward_item
from adapters.wallet import DynamoWallet
from ops.stack import Stack
from rewards.claiming import grant_key
from rewards.crm_messages import Batch
from rewards.order import OrderId
from rewards.promotion import ECoupon, Quota
from rewards.provider import Member
from rewards.reward import Reward, RewardId
from rewards.sharding import shard_of
from rewards.status import Status
from rewards.tasks import ShardWindow, task_of
from tests.builders import NOW, a_line, a_paid_order, a_promotion, a_return, a_reward, with_returns
from tests.fakes.points import grant_one
from tests.rewards.crm import a_crm_order, a_file, a_row
from tests.steps.orders import an_event

SHOP = "of rights"
PROMOTIONS = [
    a_promotion(shop_id=SHOP, promotion_id="at once", days=0),
    a_promotion(shop_id=SHOP, promotion_id="held", quota=Quota(total=1000, occupy=True, unpaid_minutes=30)),
]
TEA = a_promotion(ECoupon("TEA", quantity=1)).rule
AN_HOUR_AGO = NOW - timedelta(hours=1)
FILE = "crm/of rights/2026-11-09/till.csv"

Event = dict[str, Any]
Deed = Callable[[Stack, str], Event]


def brought(body: str, name: str) -> Event:
    """The event in which SQS brings this body for the first time."""
    brought_at = str(int(NOW.timestamp() * 1000))
    attributes = {
        "ApproximateReceiveCount": "1",
        "ApproximateFirstReceiveTimestamp": brought_at,
        "SentTimestamp": brought_at,
    }
    queue = "arn:aws:sqs:ap-northeast-1:000000000000:nobody-waits"
    record = {"messageId": name, "receiptHandle": name, "body": body, "attributes": attributes}
    return {"Records": [{**record, "messageAttributes": {}, "eventSource": "aws:sqs", "eventSourceARN": queue}]}


def told(kind: str, **detail: Any) -> Deed:
    def tell(_: Stack, name: str) -> Event:
        told_of = {"shop_id": SHOP, "order_group": name, "member_id": name, "event_id": f"{kind} {name}"}
        return brought(an_event(kind, **told_of, **detail), name)

    return tell


def of_a_row(**fields: Any) -> Deed:
    """A task for a reward that is made for it, with an order of which all came back if the reward was granted."""

    def tell(stack: Stack, name: str) -> Event:
        return brought(msgspec.json.encode(task_of(a_row_in(stack, name, **fields))).decode(), name)

    return tell


def a_row_in(stack: Stack, name: str, **fields: Any) -> Reward:
    row = a_reward(**{"id": RewardId(SHOP, name, "28343"), "member_id": name} | fields)
    order = a_paid_order(id=OrderId(SHOP, name), member_id=name)
    if row.is_reward:
        order = with_returns(order, a_return())
        member = Member(SHOP, name)
        if row.reward_type == "LoyaltyPoints":
            grant_one(DynamoWallet(stack.dynamodb, stack["WalletTableName"]), grant_key(row), member, row.points)
        else:
            issued: Any = coupons(stack).issue(grant_key(row), "TEA", member, row.points)
            row = msgspec.structs.replace(row, codes=issued.codes)
    for item in (order_item(order), reward_item(row)):
        stack.dynamodb.put_item(TableName=stack["LedgerTableName"], Item=item)
    return row


def coupons(stack: Stack) -> DynamoCouponPool:
    pool = DynamoCouponPool(stack.dynamodb, stack["CouponsTableName"])
    pool.add_stock(SHOP, "TEA", 1)
    return pool


def a_coupon_is_due(stack: Stack, name: str) -> Event:
    coupons(stack)
    return of_a_row(reward_type="ECoupon", rule=TEA, points=1)(stack, name)


def a_shop_is_looked_through(stack: Stack, name: str) -> Event:
    key = f"crm/{SHOP}/2026-11-09/{name}.csv"
    stack.s3.put_object(Bucket=stack["ImportBucketName"], Key=key, Body=a_file(a_row(name)))
    return {"shop": SHOP}


def a_batch_of_a_file(_: Stack, name: str) -> Event:
    batch = Batch(SHOP, FILE, (a_crm_order(a_line(), order_group=name, member_id=name),))
    return brought(msgspec.json.encode(batch).decode(), name)


def a_window(stack: Stack, name: str) -> Event:
    row = a_row_in(stack, name)
    shard = shard_of(SHOP, row.member_id, row.id.promotion_id, count=16)
    window = ShardWindow("reward", "2026-11-09", shard, "2026-11-09T18:00Z", "2026-11-09T19:00Z")
    return brought(msgspec.json.encode(window).decode(), name)


def something_overdue(stack: Stack, name: str) -> Event:
    a_row_in(stack, name)
    return {}


def a_change(stack: Stack, name: str) -> Event:
    """A reward that was booked, as the ledger's stream tells of it."""
    item = reward_item(a_row_in(stack, name))
    keys = {key: item[key] for key in ("Order", "Item")}
    return {"Records": [{"dynamodb": {"Keys": keys, "NewImage": item, "SequenceNumber": f"{1:021}"}}]}


RETURNED = {"status": Status.REWARD, "due": a_reward().due}
DEEDS: dict[str, Deed] = {
    "occupy": told("OrderPlaced", occurred_at=NOW.isoformat()),
    "expire": of_a_row(status=Status.OCCUPY, unpaid_until=AN_HOUR_AGO),
    "book": told("PaymentCompleted"),
    "rebook": told("OrderShipped"),
    "withdraw": told("OrderReturned", return_id="R1", lines="all"),
    "collect": a_shop_is_looked_through,
    "match": a_batch_of_a_file,
    "plan": lambda _, __: {"kind": "reward", "execute_time": AN_HOUR_AGO.isoformat()},
    "dispatch": a_window,
    "grant_points": of_a_row(),
    "grant_coupon": a_coupon_is_due,
    "recycle_points": of_a_row(**RETURNED),
    "recycle_coupon": of_a_row(reward_type="ECoupon", rule=TEA, points=1, **RETURNED),
    "sweep": something_overdue,
    "publish": a_change,
    "audit": a_change,
    "park": lambda _, name: brought(json.dumps({"detail-type": "PaymentCompleted", "name": name}), name),
}
