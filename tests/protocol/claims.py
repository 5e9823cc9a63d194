"""Claim, call, settle: how a reward is granted and taken back (in `rewards/`: claiming, granting, recycling)."""

from collections.abc import Callable

from tests.protocol.requests import DONE, FAILED, LEASED, Told, call, claim, read
from tests.protocol.world import Lock, Row, earned
from tests.protocol.writes import ACK, AGAIN, Go, Step, Without, Writes


class Claims(Writes):
    def grant(self) -> Step:
        row = yield read("row")
        was = row.value
        if was.status != "WaitToReward" or was.due != "reward":
            return ACK
        if was.return_pending and not was.lock:
            return Go("reconcile")
        return (yield from self._claim(row, ("grant", was.attempt), was.points, "granted"))

    def recycle(self) -> Step:
        row, order = yield from self._row_and_order()
        was = row.value
        if was.status != "Reward" or was.due != "recycle":
            return ACK
        owed = max(0, was.points - was.recycled - earned(order.value))
        if not owed and not was.lock:
            return (yield from self._put(row, "nothing owed", due="", return_pending=False))
        return (yield from self._claim(row, ("reclaim", was.seq), owed, "collected"))

    def granted(self, is_first: bool) -> Step:
        claimed = yield None
        lock = claimed.value.lock
        told = yield call(
            "given", lock, ("out of stock", "refused", "busy"), knows_keys=self.without is not Without.KEY
        )
        answer, points = told.value

        def after(row: Row) -> Row:
            if answer == DONE:
                is_owed_back = row.return_pending and self.without is not Without.FLAG
                granted = row._replace(status="Reward", points=points, lock=None, return_pending=False)
                return granted._replace(due="recycle" if is_owed_back or points != lock.amount else "")
            if answer == "out of stock":
                return row._replace(lock=None, attempt=row.attempt + 1)
            if answer == "refused":
                return _refused(row)._replace(attempt=row.attempt + 1)
            return row._replace(lock=None if is_first else lock)

        return (yield from self._settle(claimed, after))

    def collected(self, is_first: bool) -> Step:
        claimed = yield None
        lock = claimed.value.lock
        told = yield call("collected", lock, ("refused", "busy"), knows_keys=self.without is not Without.KEY)
        answer, points = told.value

        def after(row: Row) -> Row:
            if answer == DONE:
                due = "recycle" if row.return_pending and self.without is not Without.FLAG else ""
                taken = row._replace(recycled=row.recycled + points, seq=row.seq + 1, lock=None)
                return taken._replace(return_pending=False, due=due)
            if answer == "refused":
                return _refused(row)._replace(seq=row.seq + 1)
            return row._replace(lock=None if is_first else lock)

        return (yield from self._settle(claimed, after))

    def _claim(self, row: Told, key: tuple[str, int], amount: int, then: str) -> Step:
        was = row.value
        if self.without is Without.LOCK:
            return Go(then, (True,), (row._replace(value=was._replace(lock=Lock(key, amount)), is_mine=True),))
        lock = was.lock or Lock(key, amount)
        if was.lock and self.without is Without.SAME_KEY:
            lock = lock._replace(key=(lock.key[0], lock.key[1] + 1))
        after = was._replace(lock=lock)
        if not was.lock:
            after = after._replace(return_pending=False)
        if self.without is Without.DUE_WHILE_CLAIMED:
            after = after._replace(due="")
        claimed = yield claim(self._unless_unconditional(row), after)
        if claimed.value == LEASED:
            return ACK
        return AGAIN if claimed.value == FAILED else Go(then, (was.lock is None,), (claimed,))

    def _settle(self, claimed: Told, after: Callable[[Row], Row]) -> Step:
        """Write the outcome over the row as it was claimed; where it was written meanwhile, look whose it is."""
        row = claimed
        while True:
            change = after(row.value)
            told = yield self._write(
                f"settle: {change.status}", row, change=lambda world, change=change: world._replace(row=change)
            )
            if told.value == DONE:
                return ACK
            row = yield read("row")
            if not row.value.lock or not (claimed.is_mine or self.without is Without.TOKEN):
                return ACK


def _refused(row: Row) -> Row:
    """For a person, unless a return came meanwhile, which may leave nothing to ask for."""
    if row.return_pending:
        return row._replace(lock=None)
    return row._replace(lock=None, due="", is_held=True)
