"""Reward events: what a change is told as."""

from datetime import timedelta
from typing import Any

import pytest

from rewards.history import Change
from rewards.reward import Reward
from rewards.reward_events import EVENT_NAMES, Detail, RewardEvent, reward_events
from rewards.status import Status
from tests.builders import ORDERED_AT, a_reward

LATER = ORDERED_AT + timedelta(days=7)


def names(before: Reward | None, after: Reward) -> list[str]:
    return [event.name for event in reward_events(Change(before, after), EVENT_NAMES)]


def changed(before: Reward, **fields: Any) -> Reward:
    return before.change("for the test", by="test", at=LATER, **fields)


@pytest.mark.parametrize(
    ("after", "name"),
    [
        (Status.OCCUPY, ["RewardOccupied"]),
        (Status.WAIT, ["RewardBooked"]),
        (Status.CANCEL, ["RewardCancelled"]),
        (Status.NO_QUOTA, []),
    ],
)
def test_a_new_reward_is_told_by_its_status(after: Status, name: list[str]) -> None:
    assert names(None, a_reward(after)) == name


@pytest.mark.parametrize(
    ("before", "fields", "told"),
    [
        (a_reward("WaitToReward"), {"status": Status.REWARD}, ["RewardGranted"]),
        (a_reward("WaitToReward"), {"status": Status.CANCEL}, ["RewardCancelled"]),
        (a_reward("Occupy"), {"status": Status.WAIT, "booking_time": LATER}, ["RewardBooked"]),
        (a_reward("Cancel"), {"status": Status.WAIT}, ["RewardBooked"]),
        (a_reward("WaitToReward"), {"booking_time": LATER}, ["RewardRebooked"]),
        (a_reward("WaitToReward"), {"points": 10}, []),
        (a_reward("Reward"), {"recycle_points": 20}, ["RewardRecycled"]),
        (a_reward("Reward"), {"recycle_points": 20, "shortfall": 30}, ["RewardRecycled", "RewardShortfall"]),
        (a_reward("Reward"), {"shortfall": 50}, ["RewardShortfall"]),
        (a_reward("Reward"), {"held": "paid again"}, ["RewardHeld"]),
        (a_reward("Reward", held="paid again"), {"held": None}, []),
        (a_reward("Reward", held="paid again", recycle_points=20), {"return_pending": True}, []),
    ],
)
def test_a_change_is_told_as_what_happened(before: Reward, fields: dict[str, Any], told: list[str]) -> None:
    assert names(before, changed(before, **fields)) == told


def test_an_event_shows_the_reward_as_it_then_stood() -> None:
    before = a_reward("Reward")
    after = changed(before, recycle_points=20)
    assert reward_events(Change(before, after), EVENT_NAMES) == [
        RewardEvent(
            "RewardRecycled",
            LATER,
            Detail(
                shop_id="1",
                order_group="TG20193021",
                promotion_id="28343",
                member_id="M1",
                version=2,
                status=Status.REWARD,
                points=50,
                recycle_points=20,
                shortfall=0,
                reason="for the test",
            ),
        )
    ]


def test_only_what_is_to_be_published_is_told() -> None:
    before = a_reward("Reward")
    after = changed(before, recycle_points=20, shortfall=30)
    assert [event.name for event in reward_events(Change(before, after), {"RewardShortfall"})] == ["RewardShortfall"]
