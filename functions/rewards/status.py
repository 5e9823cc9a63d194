"""What a reward's status may be, and every way it may change (contract §6)."""

from enum import StrEnum
from typing import NamedTuple


class Status(StrEnum):
    """As the source system names them. `Unmatch` is kept on the order, not as a row."""

    OCCUPY = "Occupy"
    WAIT = "WaitToReward"
    REWARD = "Reward"
    CANCEL = "Cancel"
    NO_QUOTA = "MatchWithoutQuota"
    UNMATCH = "Unmatch"


class Transition(NamedTuple):
    """From one of `before` (None: there is no row yet) to one of `after`; `note` says what else the row shows."""

    before: tuple[Status | None, ...]
    event: str
    after: tuple[Status, ...]
    note: str = ""


TRANSITIONS = (
    Transition((None,), "placed, quota to be held and there is some", (Status.OCCUPY,)),
    Transition((None,), "placed or paid, none left", (Status.NO_QUOTA,)),
    Transition((None, Status.OCCUPY), "paid, matched", (Status.WAIT,)),
    Transition((None,), "paid, matched, nothing left to earn", (Status.CANCEL,)),
    Transition((None,), "no match", (Status.UNMATCH,), "kept on the order, with the reason"),
    Transition((Status.OCCUPY,), "payment failed, unpaid too long, cancelled", (Status.CANCEL,)),
    Transition((Status.CANCEL,), "paid, after it was unpaid or failed", (Status.WAIT, Status.NO_QUOTA)),
    Transition((Status.NO_QUOTA,), "paid", (Status.NO_QUOTA,), "unchanged"),
    Transition((Status.WAIT,), "shipped, out of stock", (Status.WAIT,), "another booking time"),
    Transition((Status.WAIT,), "granted", (Status.REWARD,), "IsReward"),
    Transition((Status.WAIT,), "returned in part", (Status.WAIT,), "Points lowered"),
    Transition((Status.WAIT,), "returned or cancelled, nothing left to earn", (Status.CANCEL,)),
    Transition((Status.REWARD,), "returned", (Status.REWARD,), "IsRecycle, RecyclePoints (and Shortfall) raised"),
    Transition((Status.REWARD,), "paid again, after it was taken back", (Status.REWARD,), "unchanged, Held"),
    Transition((Status.WAIT,), "lines of an offline order came later", (Status.WAIT,), "Points raised"),
    Transition((Status.CANCEL,), "lines of an offline order came later", (Status.WAIT, Status.NO_QUOTA)),
    Transition((Status.REWARD,), "lines of an offline order came later", (Status.REWARD,), "unchanged, Held"),
)
"""The whole lifecycle; the table in the documentation is held to it."""

_LEGAL = {(before, after) for step in TRANSITIONS for before in step.before for after in step.after}


def is_legal(before: Status | None, after: Status) -> bool:
    """Whether some event moves a reward from `before` to `after`.

    A change that leaves the status alone, such as parking a row, is legal only where the table has one.
    """
    return (before, after) in _LEGAL
