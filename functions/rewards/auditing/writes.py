"""One write of a reward, as the ledger's stream tells it: may the row before have become the row after?"""

from collections.abc import Iterator
from typing import NamedTuple

from rewards.auditing import rows
from rewards.auditing.finding import Finding, found
from rewards.reward import Reward
from rewards.status import Status, is_legal
from rewards.timetable import Timetable
from rewards.windows import Kind

FOR_GOOD = ("rule", "reward_type", "member_id", "source", "ordered_at", "lines")
"""Written once with the row: every later sum is made of these, whatever became of the promotion."""

CLAIM = {"lock", "return_pending", "attempts", "first_failed_at"}
"""What a claim, and one that is put off or let go, may write without being a change."""

SAID = {"version", "changed_version", "update_reason", "changed_by", "changed_at"}
"""What every change writes: that it was one, and why."""

_GIVEN_BACK = {
    *("points", "place", "due", "unpaid_until", "held", "return_pending", "base_amount"),
    *("attempts", "first_failed_at", "no_stock_since"),
}

MAY_CHANGE: dict[tuple[Status, Status], set[str]] = {
    (Status.OCCUPY, Status.WAIT): {"booking_time", "due", "unpaid_until", "points", "base_amount"},
    (Status.OCCUPY, Status.CANCEL): _GIVEN_BACK,
    (Status.CANCEL, Status.WAIT): {"booking_time", "due", "place", "points", "base_amount"},
    (Status.CANCEL, Status.NO_QUOTA): set(),
    (Status.NO_QUOTA, Status.NO_QUOTA): set(),
    (Status.WAIT, Status.WAIT): {
        *CLAIM,
        *("booking_time", "due", "points", "base_amount"),
        *("grant_attempt", "stock_outs", "no_stock_since", "held", "redriven"),
    },
    (Status.WAIT, Status.REWARD): {
        *CLAIM,
        *("is_reward", "granted_at", "points", "codes", "due", "no_stock_since"),
    },
    (Status.WAIT, Status.CANCEL): _GIVEN_BACK,
    (Status.REWARD, Status.REWARD): {
        *CLAIM,
        *("is_recycle", "recycle_points", "shortfall", "revoked_codes", "used_codes", "recycle_seq"),
        *("due", "held", "redriven", "no_stock_since"),
    },
}
"""Each way a row may change, by its status before and after, and what changes with it; nothing else does."""

_DUE: dict[Status, Kind] = {Status.OCCUPY: "expire", Status.WAIT: "reward"}
"""What these wait for has its place in the due index by the row alone; a recycle may be put off to another hour."""


class Write(NamedTuple):
    """A reward before and after it was written, a claim included; None where it was not yet, or is no more."""

    before: Reward | None
    after: Reward | None

    @property
    def booked(self) -> Reward | None:
        """The reward, if this write gave it its booking time."""
        is_as_before = self.before and self.after and self.before.booking_time == self.after.booking_time
        return None if is_as_before else self.after


def audit_write(write: Write, timetable: Timetable) -> Iterator[Finding]:
    """What is wrong with a write by itself."""
    before, after = write
    if after is None:
        if before is not None:
            yield found("gone", before, "the row was deleted; a reward is kept for ever")
        return
    yield from rows.audit_row(after)
    yield from _due_keys(before, after, timetable)
    yield from _versions(before, after)
    if before is None:
        if not is_legal(None, after.status):
            yield found("transition", after, f"it began as {after.status}")
        return
    for name in FOR_GOOD:
        if getattr(before, name) != getattr(after, name) and not _counts_other_lines(name, before, after):
            yield found("snapshot", after, f"{name} changed from {getattr(before, name)} to {getattr(after, name)}")
    yield from _transition(before, after)


def _counts_other_lines(name: str, before: Reward, after: Reward) -> bool:
    """An order may be paid with other lines than it was placed with, and to an offline one more may come in a later
    file: those that counted go on counting. What was granted before was not granted for these, and says for which.
    """
    if name != "lines":
        return False
    if before.booking_time is None and before.status in (Status.OCCUPY, Status.CANCEL, Status.NO_QUOTA):
        return True
    grows = not after.is_reward and set(before.lines or ()) <= set(after.lines or ())
    return after.source == "Others" and (grows or before.lines is None)


def _versions(before: Reward | None, after: Reward) -> Iterator[Finding]:
    last = before.version if before else 0
    if after.version != last + 1:
        yield found("version", after, f"version {last} was followed by {after.version}")
    if after.changed_version not in (after.version, before.changed_version if before else after.version):
        yield found("version", after, f"the last change is said to be version {after.changed_version}")


def _transition(before: Reward, after: Reward) -> Iterator[Finding]:
    changed = _changed(before, after) - set(FOR_GOOD)
    if after.changed_version == before.changed_version:
        if more := changed - CLAIM - {"version"}:
            yield found("unrecorded", after, f"{_named(more)} changed, and the history will not tell")
        return
    move = (before.status, after.status)
    if move not in MAY_CHANGE:
        yield found("transition", after, f"{before.status} became {after.status}")
    elif more := changed - MAY_CHANGE[move] - SAID - {"status"}:
        yield found("transition", after, f"{_named(more)} changed while {' became '.join(dict.fromkeys(move))}")
    if move == (Status.REWARD, Status.REWARD):
        yield from _only_rises(before, after)
    if move == (Status.WAIT, Status.WAIT) and after.points > before.points and after.source != "Others":
        yield found("sums", after, f"points rose from {before.points} to {after.points} while it waits")


def _only_rises(before: Reward, after: Reward) -> Iterator[Finding]:
    for name in ("recycle_points", "shortfall", "recycle_seq"):
        if getattr(after, name) < getattr(before, name):
            yield found("sums", after, f"{name} fell from {getattr(before, name)} to {getattr(after, name)}")


def _due_keys(before: Reward | None, after: Reward, timetable: Timetable) -> Iterator[Finding]:
    """New keys must be the ones that the row's own time gives at the moment it was written."""
    kind = _DUE.get(after.status)
    if kind is None or after.due is None or (before and before.due == after.due):
        return
    if after.due != (right := timetable.due(kind, after, now=after.changed_at)):
        yield found("due keys", after, f"it stands at {' '.join(after.due)}, its time is {' '.join(right)}")


def _changed(before: Reward, after: Reward) -> set[str]:
    return {name for name in Reward.__struct_fields__ if getattr(before, name) != getattr(after, name)}


def _named(fields: set[str]) -> str:
    return ", ".join(sorted(fields))
