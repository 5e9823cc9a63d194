"""The source system's way with one reward after another, by boto3: only its calls, and these as cheap as they can be.

One task for each promotion that an order may match, a row that is written, locked and settled by a call each, one S3
object for each group that falls due and one task that names it. The rows, the due index, the history and the wallet's
entries are ours: what is compared is the way, not the size of a row. No call is made for an order that matches nothing,
none is made twice, and a group holds 1.2 rewards in the mean.
"""

import json
from datetime import UTC, datetime
from typing import Any

import boto3
from msgspec.structs import replace

from adapters.items import reward_item
from tests.builders import ORDERED_AT, a_reward
from tests.fakes.world import TIMETABLE
from tests.faults.resources import QUEUE, bucket_name

DUE_INDEX = "BookingDateUTC-BookingTimeUTC-index"
BUCKET = bucket_name("TASKS_BUCKET")
BOOKED, GRANTED = "GRANT_POINTS_HIGH_QUEUE", "GRANT_POINTS_LOW_QUEUE"
MEMBERS_PER_REWARD = 5 / 6
DUE_AT = datetime(2026, 11, 9, 18, tzinfo=UTC)

Item = dict[str, Any]


class SourceSystem:
    """What is there, and the tasks that wait: names of groups."""

    def __init__(self, session: boto3.Session) -> None:
        self.shards: set[str] = set()
        self.groups: list[str] = []
        self._dynamodb, self._sqs, self._s3 = session.client("dynamodb"), session.client("sqs"), session.client("s3")

    def paid(self, order: int) -> None:
        """PromotionRewardLoyaltyPointsDispatcherV2Job: a task for the promotion that may match."""
        self._send(BOOKED, {"order": order, "promotion": "28343"})

    def book(self, order: int) -> None:
        """PromotionRewardLoyaltyPointsV2Job, before the time: is it known already? if not, the row that waits."""
        member = int(order * MEMBERS_PER_REWARD)
        reward = a_reward(order_group=f"TG{order:08}", member_id=f"{member:07}", booking_time=DUE_AT, due=None)
        row = reward_item(replace(reward, due=TIMETABLE.due("reward", reward, now=ORDERED_AT)))
        self.shards.add(row["BookingDateUTC"]["S"])
        key = {"Order": row["Order"], "Item": row["Item"]}
        self._dynamodb.get_item(TableName="LEDGER_TABLE", Key=key, ConsistentRead=True)
        self._dynamodb.put_item(TableName="LEDGER_TABLE", Item=row)
        self._history(row, version=1)

    def dispatch(self, shard: str) -> None:
        """BookingRewardLoyaltyPointsDispatcherV2Job: all that is due, by group; an object and a task for each."""
        pages = self._dynamodb.get_paginator("query").paginate(
            TableName="LEDGER_TABLE",
            IndexName=DUE_INDEX,
            KeyConditionExpression="BookingDateUTC = :shard",
            ExpressionAttributeValues={":shard": {"S": shard}},
        )
        groups: dict[str, list[Item]] = {}
        for item in (item for page in pages for item in page["Items"]):
            groups.setdefault(_group(item), []).append({"Order": item["Order"], "Item": item["Item"]})
        for group, rewards in groups.items():
            self._s3.put_object(Bucket=BUCKET, Key=group, Body=json.dumps(rewards).encode())
        for group in groups:
            self._send(GRANTED, {"key": group})
            self.groups.append(group)

    def grant(self, group: str) -> int:
        """PromotionRewardLoyaltyPointsV2Job at the time: the list from S3, and its rewards in order."""
        rewards = json.loads(self._s3.get_object(Bucket=BUCKET, Key=group)["Body"].read())
        for key in rewards:
            self._grant_one(key)
        return len(rewards)

    def _grant_one(self, key: Item) -> None:
        row = self._dynamodb.get_item(TableName="LEDGER_TABLE", Key=key, ConsistentRead=True)["Item"]
        names = {"#Status": "Status", "#Lock": "Lock"}
        waits, lock = {"S": "WaitToReward"}, {"S": "worker-1"}
        self._dynamodb.update_item(
            TableName="LEDGER_TABLE",
            Key=key,
            UpdateExpression="SET #Lock = :lock",
            ConditionExpression="#Status = :waits AND attribute_not_exists(#Lock)",
            ExpressionAttributeNames=names,
            ExpressionAttributeValues={":lock": lock, ":waits": waits},
        )
        entry = {"Member": row["MemberId"], "Item": row["Order"], "Points": row["Points"]}
        self._dynamodb.put_item(TableName="WALLET_TABLE", Item=entry)
        self._dynamodb.update_item(
            TableName="LEDGER_TABLE",
            Key=key,
            UpdateExpression="SET #Status = :granted, IsReward = :true REMOVE #Lock, BookingDateUTC, BookingTimeUTC",
            ConditionExpression="#Lock = :lock",
            ExpressionAttributeNames=names,
            ExpressionAttributeValues={":lock": lock, ":granted": {"S": "Reward"}, ":true": {"BOOL": True}},
        )
        self._history(row, version=2)

    def _history(self, row: Item, version: int) -> None:
        names = ("Order", "Status", "Points", "UpdateReason")
        kept = {name: row[name] for name in names if name in row}
        item = kept | {"Item": {"S": f"HISTORY#28343#{version}"}}
        self._dynamodb.put_item(TableName="LEDGER_TABLE", Item=item)

    def _send(self, queue: str, task: Item) -> None:
        self._sqs.send_message(QueueUrl=QUEUE + queue, MessageBody=json.dumps(task))


def _group(item: Item) -> str:
    """Shop, member and promotion."""
    return "/".join(item["BookingTimeUTC"]["S"].split("#")[1:4])
