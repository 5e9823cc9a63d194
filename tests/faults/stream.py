"""The ledger's stream: every image of every row, in the order they were written, to each of its readers."""

from collections import Counter
from itertools import groupby
from typing import Any, Literal

import boto3

from adapters.items import order_of, reward_of
from rewards.order import Order
from rewards.reward import Reward, RewardId

BATCH = 100
PAGE = 1000


class Stream:
    def __init__(self, session: boto3.Session) -> None:
        self._client = session.client("dynamodbstreams")
        self._records: list[dict[str, Any]] = []
        self._taken: Counter[str] = Counter()
        self._arn = ""
        self._next = ""

    def begin(self, dynamodb: Any) -> None:
        dynamodb.update_table(
            TableName="LEDGER_TABLE",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        )
        self._arn = dynamodb.describe_table(TableName="LEDGER_TABLE")["Table"]["LatestStreamArn"]
        self._records.clear()
        self._taken.clear()
        self.go_on("TRIM_HORIZON")

    def go_on(self, at: Literal["TRIM_HORIZON", "LATEST"]) -> None:
        """An iterator lives for a quarter of an hour, a record for a day: whoever moves the clock reads all before."""
        (shard,) = self._client.describe_stream(StreamArn=self._arn)["StreamDescription"]["Shards"]
        place = self._client.get_shard_iterator(StreamArn=self._arn, ShardId=shard["ShardId"], ShardIteratorType=at)
        self._next = place["ShardIterator"]

    def next(self, reader: str) -> list[dict[str, Any]]:
        """The next records that this reader has not taken, of rewards only, as the event source's filter has it."""
        self.read()
        return self._of_rewards()[self._taken[reader] : self._taken[reader] + BATCH]

    def taken(self, reader: str, records: int) -> None:
        self._taken[reader] += records

    def rows(self) -> dict[RewardId, Reward]:
        """Every reward as it stands."""
        return {images[-1].id: images[-1] for images in self.rewards()}

    def rewards(self) -> list[list[Reward]]:
        """Every reward, from its first image to its last."""
        self.read()
        return _by_row([reward_of(record["dynamodb"]["NewImage"]) for record in self._of_rewards()])

    def orders(self) -> list[list[Order]]:
        self.read()
        return _by_row([order_of(each["dynamodb"]["NewImage"]) for each in self._records if _item(each) == "ORDER"])

    def read(self) -> None:
        """Read on, up to what was written last."""
        records = PAGE
        while records == PAGE:
            page = self._client.get_records(ShardIterator=self._next, Limit=PAGE)
            self._next, records = page["NextShardIterator"], len(page["Records"])
            self._records += page["Records"]

    def _of_rewards(self) -> list[dict[str, Any]]:
        return [record for record in self._records if _item(record).startswith("REWARD#")]


def _item(record: dict[str, Any]) -> str:
    return str(record["dynamodb"]["Keys"]["Item"]["S"])


def _by_row(images: list[Any]) -> list[list[Any]]:
    return [list(same) for _, same in groupby(sorted(images, key=lambda each: each.id), key=lambda each: each.id)]
