"""Each kind of fault in a write, planted once, is found; the write without it is not."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from rewards.auditing.finding import Finding
from rewards.auditing.writes import FOR_GOOD, MAY_CHANGE, Write, audit_write
from rewards.promotion import Rule
from rewards.reward import Due, Held, Lock, Place, Reward
from rewards.status import TRANSITIONS, Status
from tests.builders import NOW, a_promotion, a_reward
from tests.fakes.world import TIMETABLE

HOUR = timedelta(hours=1)
KEY = "1#TG20193021#28343#grant#0"
WAITS = a_reward()
CLAIMED = WAITS.with_lock(Lock("token", NOW + HOUR, "grant", KEY, 50))


def change(row: Reward, **fields: Any) -> Reward:
    return row.change("as it must be", by="test", at=NOW, **fields)


GRANTED = change(CLAIMED, status=Status.REWARD, is_reward=True, granted_at=NOW, lock=None, due=None)
RECYCLED = change(GRANTED, is_recycle=True, recycle_points=20, recycle_seq=1)
REFUSED = change(CLAIMED, held=Held("refused", "no"), lock=None, due=None, grant_attempt=1)
REDRIVEN = change(REFUSED, held=None, redriven=1)
REDRIVEN = replace(REDRIVEN, due=TIMETABLE.due("reward", REDRIVEN, now=NOW))
CANCELLED = WAITS.cancel("nothing left", by="test", at=NOW)
TWO_LINES_COUNT = replace(WAITS, source="Others", lines=("L1", "L2"))
GRANTED_FOR_TWO = replace(GRANTED, source="Others", lines=("L1", "L2"))
FOUND_NO_PLACE = a_reward(Status.NO_QUOTA, booking_time=None)


def findings(before: Reward | None, after: Reward | None) -> list[Finding]:
    return list(audit_write(Write(before, after), TIMETABLE))


def kinds(before: Reward | None, after: Reward | None) -> set[str]:
    return {finding.kind for finding in findings(before, after)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, WAITS),
        (WAITS, CLAIMED),
        (CLAIMED, CLAIMED.with_lock(None, attempts=1, first_failed_at=NOW)),
        (CLAIMED, GRANTED),
        (CLAIMED, REFUSED),
        (REFUSED, REDRIVEN),
        (WAITS, CANCELLED),
        (WAITS, change(WAITS, points=30)),
        (GRANTED, change(GRANTED, held=Held("paid again", "by event 2"))),
        (GRANTED, RECYCLED),
        (TWO_LINES_COUNT, change(TWO_LINES_COUNT, lines=("L1", "L2", "L3"), points=60)),
        (FOUND_NO_PLACE, FOUND_NO_PLACE.with_lock(None, lines=("L1",))),
        (None, None),
    ],
)
def test_what_the_steps_write_is_in_order(before: Reward | None, after: Reward | None) -> None:
    assert findings(before, after) == []


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("gone", GRANTED, None),
        ("version", None, replace(WAITS, version=2)),
        ("version", WAITS, replace(CLAIMED, version=3)),
        ("version", CLAIMED, replace(GRANTED, changed_version=2)),
        ("unrecorded", WAITS, replace(WAITS, version=2, points=40)),
        ("transition", None, a_reward("Reward", version=1)),
        ("transition", CANCELLED, change(CANCELLED, status=Status.REWARD, points=50, is_reward=True)),
        ("transition", GRANTED, change(GRANTED, points=60)),
        ("transition", GRANTED, change(GRANTED, place=Place(3))),
        ("transition", CANCELLED, change(CANCELLED, held=Held("refused", "no"))),
        ("snapshot", WAITS, change(WAITS, rule=Rule(a_promotion().reward, a_promotion(days=8).timing))),
        ("snapshot", WAITS, change(WAITS, member_id="M2")),
        ("snapshot", WAITS, change(WAITS, lines=("L1",))),
        ("snapshot", TWO_LINES_COUNT, change(TWO_LINES_COUNT, lines=("L1",))),
        ("snapshot", GRANTED_FOR_TWO, change(GRANTED_FOR_TWO, lines=("L1", "L2", "L3"))),
        ("sums", GRANTED, change(GRANTED, is_recycle=True, recycle_points=40, shortfall=11)),
        ("sums", GRANTED, change(GRANTED, recycle_points=40)),
        ("sums", RECYCLED, change(RECYCLED, recycle_points=10)),
        ("sums", WAITS, change(WAITS, points=60)),
        ("sums", WAITS, change(WAITS, points=0)),
        ("sums", WAITS, change(WAITS, is_reward=True)),
        ("due keys", WAITS, change(WAITS, booking_time=NOW + HOUR, due=Due(WAITS.due.partition, WAITS.due.sort + "2"))),
        ("due keys", WAITS, change(WAITS, due=WAITS.due._replace(partition="reward#2026-11-12#00"))),
        ("due keys", GRANTED, change(GRANTED, due=WAITS.due)),
        ("due keys", WAITS, change(WAITS, held=Held("refused", "no"))),
        ("lost", WAITS, change(WAITS, due=None)),
        ("lost", None, a_reward("Occupy", place=Place(0), unpaid_until=NOW, booking_time=None)),
        ("lock", CLAIMED, change(CLAIMED, due=None)),
        ("lock", WAITS, WAITS.with_lock(replace(CLAIMED.lock, key="1#TG20193021#28343#grant#1"))),
        ("lock", WAITS, WAITS.with_lock(replace(CLAIMED.lock, action="reclaim"))),
        ("place", WAITS, replace(CANCELLED, place=Place(0))),
        ("place", None, a_reward("Occupy", due=WAITS.due)),
    ],
)
def test_a_fault_is_found(kind: str, before: Reward | None, after: Reward | None) -> None:
    assert kind in kinds(before, after)


COUPONS = {"reward_type": "ECoupon", "points": 2, "codes": ("A", "B"), "is_recycle": True}


@pytest.mark.parametrize(
    "fields",
    [
        {"codes": ("A",)},
        {"recycle_points": 1},
        {"recycle_points": 1, "revoked_codes": ("C",)},
        {"recycle_points": 1, "revoked_codes": ("A",), "used_codes": ("A",)},
    ],
)
def test_codes_are_counted(fields: dict[str, Any]) -> None:
    right = a_reward("Reward", **COUPONS)
    assert kinds(right, replace(right, version=2, **fields)) >= {"sums"}


def test_a_finding_says_what_it_is_about_and_what_is_wrong() -> None:
    (finding,) = findings(GRANTED, change(GRANTED, points=60))
    assert (finding.kind, finding.about, finding.version) == ("transition", "1/TG20193021/28343", 4)
    assert finding.words == "points changed while Reward"


def test_every_legal_transition_says_what_may_change_with_it_and_no_other() -> None:
    legal = {(before, after) for each in TRANSITIONS for before in each.before for after in each.after}
    assert MAY_CHANGE.keys() == {(before, after) for before, after in legal if before}


def test_what_is_copied_into_a_row_is_not_among_what_may_change() -> None:
    assert not set(FOR_GOOD) & set.union(*MAY_CHANGE.values())
