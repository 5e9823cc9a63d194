"""Claims: how one worker at a time gets to call the provider for a row, and what it may write afterwards.

A claim writes its intent ahead: action, key and amount stand in the row before the provider is called, and whoever
takes over after a crash calls again with the same key. The lease only says when to look again; that it is over never
means that nothing was done.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from rewards.identifiers import join
from rewards.ledger import DECISIONS_MAX, Contended
from rewards.outcomes import GivenUp, LostRace, OfReward, Unsettled
from rewards.pooling import Work, read, write
from rewards.provider import Member, NotNow, Refused, Unknown
from rewards.reward import Held, Lock, Reward

Action = Literal["grant", "reclaim"]


class Worker(NamedTuple):
    """One invocation of a step: `token` is its alone, `lease` longer than it can run.

    A provider that gives no answer is asked again for as long as `patience`, a coupon out of stock as `stock_patience`.
    """

    step: str
    token: str
    now: datetime
    lease: timedelta
    patience: timedelta
    stock_patience: timedelta

    def claim(self, row: Reward, action: Action, amount: int, *, member_id: str | None = None) -> "Work[Claim | None]":
        """Write the intent ahead; one that stands already is taken over with its key, amount and account.

        `member_id` names the account, where it is not the row's own. A new `amount` is of all that came back before, so
        the flag of a return is dealt with. None when the row was written meanwhile, by another claim or by a return.
        """
        until = self.now + self.lease
        if row.lock:
            lock = replace(row.lock, token=self.token, until=until)
            claimed = row.with_lock(lock)
        else:
            key = reclaim_key(row) if action == "reclaim" else grant_key(row)
            lock = Lock(self.token, until, action, key, amount, member_id)
            claimed = row.with_lock(lock, return_pending=False)
        if not (yield from write(row, claimed)):
            return None
        return Claim(claimed, lock, self, is_first=row.lock is None)

    def change(self, row: Reward, reason: str, **fields: Any) -> Reward:
        """The next version of a row this worker settles: what failed before does not count any more."""
        settled = {"lock": None, "attempts": 0, "first_failed_at": None, "no_stock_since": None}
        return row.change(reason, by=self.step, at=self.now, **settled | fields)


class Claim(NamedTuple):
    """A row as this worker claimed it. `is_first`: nobody can have called the provider under this key before."""

    row: Reward
    lock: Lock
    worker: Worker
    is_first: bool

    @property
    def account(self) -> Member:
        """Whom the provider is asked for: whoever the intent names, else the member of the row."""
        return Member(self.row.id.shop_id, self.lock.member_id or self.row.member_id)

    def settle(self, outcome: Callable[[Reward], Reward]) -> Work[Reward | None]:
        """Write the `outcome` of the claimed row; None when the claim was lost meanwhile.

        A return that came in between has flagged the row: it is read again, and `outcome` deals with the flag in the
        same write, so that no return can fall between a grant and its settling.
        """
        row: Reward | None = self.row
        for _ in range(DECISIONS_MAX):
            if row is None or row.lock is None or row.lock.token != self.lock.token:
                return None
            after = outcome(row)
            if (yield from write(row, after)):
                return after
            row = yield from read(self.row.id)
        raise Contended(self.row.id)

    def put_off(self, answer: NotNow | Unknown) -> Work[OfReward]:
        """No answer for now: let anyone ask again at once; after the worker's patience it is for a person.

        The intent stands with its key and amount, unless nothing can have been done under it: then a return meanwhile
        need not be granted first and taken back afterwards, and comes before a person.
        """
        worker, since = self.worker, self.row.first_failed_at or self.worker.now
        is_too_long = worker.now - since >= worker.patience
        lock = None if self.is_first and isinstance(answer, NotNow) else replace(self.lock, until=worker.now)

        def put_off(row: Reward) -> Reward:
            if is_too_long and (lock or not row.return_pending):
                return worker.change(row, "given up", lock=lock, held=Held("exhausted", answer.problem), due=None)
            return row.with_lock(lock, attempts=row.attempts + 1, first_failed_at=since)

        return self._given_up((yield from self.settle(put_off)), answer.problem)

    def refuse(self, answer: Refused, **next_key: int) -> Work[OfReward]:
        """The provider said no for good under this key: a person must look; the next try has the next key.

        A return meanwhile comes before a person: it may leave nothing to ask for.
        """

        def refused(row: Reward) -> Reward:
            if row.return_pending:
                return self.worker.change(row, "refused", **next_key)
            return self.worker.change(row, "refused", held=Held("refused", answer.reason), due=None, **next_key)

        return self._given_up((yield from self.settle(refused)), answer.reason)

    def _given_up(self, settled: Reward | None, problem: str) -> OfReward:
        if settled is None:
            return LostRace(self.row.id)
        return Unsettled(self.row.id, problem) if settled.due else GivenUp(self.row.id)


def grant_key(row: Reward) -> str:
    """The idempotency key of the grant: the same on every retry, restart and redrive (contract §4)."""
    return join(*row.id, "grant", str(row.grant_attempt))


def reclaim_key(row: Reward) -> str:
    """The idempotency key of the next reclaim; the one before is settled."""
    return join(*row.id, "reclaim", str(row.recycle_seq))
