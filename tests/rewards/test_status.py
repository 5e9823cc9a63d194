import pytest

from rewards.status import TRANSITIONS, Status, is_legal


def test_the_names_are_the_source_systems() -> None:
    assert [status.value for status in Status] == [
        "Occupy", "WaitToReward", "Reward", "Cancel", "MatchWithoutQuota", "Unmatch",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "WaitToReward"),
        (None, "Cancel"),
        ("Occupy", "WaitToReward"),
        ("Occupy", "Cancel"),
        ("Cancel", "WaitToReward"),
        ("Cancel", "MatchWithoutQuota"),
        ("WaitToReward", "WaitToReward"),
        ("WaitToReward", "Reward"),
        ("WaitToReward", "Cancel"),
        ("Reward", "Reward"),
    ],
)
def test_a_reward_may_move_as_the_table_says(before: str | None, after: str) -> None:
    assert is_legal(before and Status(before), Status(after))


@pytest.mark.parametrize("after", [status for status in Status if status is not Status.REWARD])
def test_a_granted_reward_stays_one_whatever_comes_back(after: Status) -> None:
    assert not is_legal(Status.REWARD, after)


@pytest.mark.parametrize("before", [None, *(status for status in Status if status not in ("WaitToReward", "Reward"))])
def test_nothing_is_granted_that_did_not_wait(before: Status | None) -> None:
    assert not is_legal(before, Status.REWARD)


def test_every_status_is_reached_and_no_event_is_told_twice() -> None:
    assert {after for step in TRANSITIONS for after in step.after} == set(Status)
    events = [(before, step.event) for step in TRANSITIONS for before in step.before]
    assert len(events) == len(set(events))
