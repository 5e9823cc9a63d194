"""The books after a story: what must hold whatever went wrong, and what must be as if nothing had."""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from adapters.findings import S3Findings
from adapters.history import DynamoHistory
from adapters.wallet import DynamoWallet
from rewards.history import Change, HistoryItem, change_between
from rewards.identifiers import split
from rewards.reward import Reward, RewardId
from rewards.reward_events import reward_events
from rewards.status import Status
from tests.faults.resources import QUEUE, bucket_name
from tests.faults.stack import Stack
from tests.steps.conftest import SETTINGS

PUBLISHED = SETTINGS["PUBLISHED_EVENTS"].split(",")


class Ending(NamedTuple):
    """What no fault may change: how each reward ends, what each member has, coupons by state, letters by kind."""

    rewards: dict[str, tuple[str, int, int, int]]
    balances: dict[str, int]
    coupons: Counter[str]
    letters: Counter[str]


class Books:
    def __init__(self, stack: Stack) -> None:
        self.images = stack.stream.rewards()
        self.orders = stack.stream.orders()
        self.rows = [images[-1] for images in self.images]
        self.accounts = DynamoWallet(stack.dynamodb, "WALLET_TABLE").accounts()
        self.coupons = list(stack.coupons.coupons())
        self.stocks = stack.coupons.stocks()
        self.taken = sum(int(count["Used"]["N"]) for count in _items(stack, "QUOTA_TABLE"))
        self.letters = _items(stack, "LETTERS_TABLE")
        self.findings = S3Findings(stack.s3, bucket_name("FINDINGS_BUCKET")).open()
        self.told = _told(stack)
        history = DynamoHistory(stack.dynamodb, "LEDGER_TABLE")
        self.history = [item for id in {row.id.order for row in self.rows} for item in history.of_order(id)]

    def ending(self) -> Ending:
        return Ending(
            {
                f"{row.id.order_group} {row.id.promotion_id}": (
                    row.status.value,
                    row.points,
                    row.recycle_points,
                    row.shortfall,
                )
                for row in self.rows
            },
            {account.member.member_id: account.balance for account in self.accounts},
            Counter(coupon.state for coupon in self.coupons),
            Counter(letter["Kind"]["S"] for letter in self.letters),
        )

    def check(self) -> None:
        assert not self.findings, "the audit sees nothing wrong"
        self._nothing_is_stuck()
        self._every_write_raised_the_version_by_one()
        self._the_history_has_every_change()
        self._every_change_was_published()
        self._one_effect_for_each_row()
        self._the_wallet_adds_up()
        self._the_coupons_add_up()
        self._places_taken_are_places_held()

    def _nothing_is_stuck(self) -> None:
        for row in self.rows:
            assert (row.due, row.lock, row.return_pending, row.held) == (None, None, False, None), row
            assert row.status in (Status.REWARD, Status.CANCEL, Status.NO_QUOTA), row

    def _every_write_raised_the_version_by_one(self) -> None:
        for images in [*self.images, *self.orders]:
            assert [image.version for image in images] == list(range(1, len(images) + 1))

    def _the_history_has_every_change(self) -> None:
        changes = [HistoryItem.of(change) for images in self.images for change in _changes(images)]
        assert sorted(self.history, key=_place) == sorted(changes, key=_place)
        for before, after in pairwise(sorted(self.history, key=_place)):
            assert after.previous == (before.version if after.id == before.id else None)

    def _every_change_was_published(self) -> None:
        """Those of the configuration, and nothing that never was."""
        events = [
            (event.name, event.detail.promotion_id, event.detail.order_group, event.detail.version)
            for images in self.images
            for change in _changes(images)
            for event in reward_events(change, PUBLISHED)
        ]
        assert self.told == set(events)

    def _one_effect_for_each_row(self) -> None:
        """A row's grants come to what it says was granted, its reclaims to what it says was taken, each key once."""
        for row in self.rows:
            grants, reclaims = self._entries(row, "grant"), self._entries(row, "reclaim")
            if row.reward_type == "LoyaltyPoints":
                assert sum(grants) == (row.points if row.is_reward else 0), row
                assert len(grants) == row.is_reward, row
                assert -sum(reclaims) == row.recycle_points, row
                assert len(reclaims) == row.recycle_seq, row

    def _the_wallet_adds_up(self) -> None:
        for account in self.accounts:
            rows = [
                row
                for row in self.rows
                if row.reward_type == "LoyaltyPoints" and row.member_id == account.member.member_id
            ]
            assert account.balance == sum(row.outstanding for row in rows)

    def _the_coupons_add_up(self) -> None:
        issued = {code for row in self.rows for code in row.codes}
        revoked = {code for row in self.rows for code in row.revoked_codes}
        assert {coupon.code for coupon in self.coupons} == issued
        assert {coupon.code for coupon in self.coupons if coupon.state == "revoked"} == revoked
        assert sum(stock.issued for *_, stock in self.stocks) == len(self.coupons)

    def _places_taken_are_places_held(self) -> None:
        """A place of the total is one, and the member's is another."""
        places = [row.place for row in self.rows if row.place]
        assert self.taken == sum((place.shard is not None) + place.of_member for place in places)

    def _entries(self, row: Reward, action: str) -> list[int]:
        keys = [(split(entry.key), entry.points) for account in self.accounts for entry in account.entries]
        return [points for (*id, of, _), points in keys if (*id, of) == (*row.id, action)]


def _changes(images: list[Reward]) -> Iterable[Change]:
    return filter(None, (change_between(before, after) for before, after in pairwise([None, *images])))


def _place(item: HistoryItem) -> tuple[RewardId, int]:
    return item.id, item.version


def _items(stack: Stack, table: str) -> list[dict[str, Any]]:
    pages = stack.dynamodb.get_paginator("scan").paginate(TableName=table)
    return [item for page in pages for item in page["Items"]]


def _told(stack: Stack) -> set[tuple[str, str, str, int]]:
    """What came by the rewards bus; twice is as good as once."""
    told = set()
    while messages := stack.sqs.receive_message(QueueUrl=f"{QUEUE}told", MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            event = json.loads(message["Body"])
            detail = event["detail"]
            told.add((event["detail-type"], detail["promotion_id"], detail["order_group"], detail["version"]))
    return told
