"""Claims: how one worker at a time gets to call the provider for a row, and what it may write afterwards.

A claim writes its intent ahead: action, key and amount stand in the row before the provider is called, and whoever
takes over after a crash calls again with the same key. The lease only says when to look again; that it is over never
means that nothing was done.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from msgspec.structs import replace

from rewards.identifiers import join
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.provider import Member
from rewards.reward import Due, Lock, Reward

Action = Literal["grant", "reclaim"]


class Worker(NamedTuple):
    """One invocation of a step: `token` is its alone, `lease` longer than it can run."""

    token: str
    now: datetime
    lease: timedelta

    def lock(self, row: Reward, action: Action, amount: int) -> Lock:
        """The intent to be written ahead; one that stands already is taken over with its key and amount."""
        until = self.now + self.lease
        if row.lock:
            return replace(row.lock, token=self.token, until=until)
        return Lock(self.token, until, action, reclaim_key(row) if action == "reclaim" else grant_key(row), amount)


def grant_key(row: Reward) -> str:
    """The idempotency key of the grant: the same on every retry, restart and redrive (contract §4)."""
    return join(*row.id, "grant", str(row.grant_attempt))


def reclaim_key(row: Reward) -> str:
    """The idempotency key of the next reclaim; the one before is settled."""
    return join(*row.id, "reclaim", str(row.recycle_seq))


def account(row: Reward) -> Member:
    return Member(row.id.shop_id, row.member_id)


def claimed(row: Reward, lock: Lock, ledger: Ledger) -> "Claim | None":
    """Write the intent ahead; None when the row was written meanwhile, by another claim or by a return."""
    after = row.with_lock(lock)
    return Claim(after, lock) if ledger.write_reward(row, after) else None


class Claim(NamedTuple):
    """A row as this worker claimed it, and its lock."""

    row: Reward
    lock: Lock

    def end_lease(self, ledger: Ledger, now: datetime) -> None:
        """The answer is unknown: let anyone ask again at once, with this key and amount."""
        ledger.write_reward(self.row, self.row.with_lock(replace(self.lock, until=now)))

    def settle(self, outcome: Callable[[Reward], Reward], owed: Due, ledger: Ledger) -> Reward | None:
        """Write the `outcome` of the claimed row; None when the claim was lost meanwhile.

        Where a return came in between, the same write puts the row back into the due index, under `owed`: no return can
        fall between a grant and its settling.
        """
        after = outcome(self.row)
        if not self.row.return_pending and ledger.write_reward(self.row, after):
            return after
        for _ in range(DECISIONS_MAX):
            row = ledger.reward(self.row.id)
            if row is None or row.lock is None or row.lock.token != self.lock.token:
                return None
            after = replace(outcome(row), return_pending=False, due=owed)
            if ledger.write_reward(row, after):
                return after
        raise Contended(self.row.id)
