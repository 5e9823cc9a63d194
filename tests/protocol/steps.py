"""The protocol, as straight-line steps in which every `yield` is one atomic request.

Between two of them anything may happen: another worker runs, this one dies and its message comes back, its lease ends.
A step ends acknowledged (ACK), from the start again (AGAIN), or goes on with another (`Go`). It says what
`functions/rewards/` does, without its sums and times: change it there and here together.
"""

from tests.protocol.claims import Claims
from tests.protocol.requests import DONE, FAILED, places, read, send
from tests.protocol.world import PLACES, Row, earned
from tests.protocol.writes import ACK, AGAIN, Go, Step, Without, placed


class Steps(Claims):
    """What comes of an event, of a timer, and of a person who has a parked row tried again."""

    def placed(self) -> Step:
        order = yield read("order")
        if order.value.is_placed or order.value.is_paid or not earned(order.value):
            return ACK
        row = yield read("row")
        taken = yield places()
        has_place = taken.value < PLACES
        after = Row("Occupy", due="expire", has_place=True) if has_place else Row("MatchWithoutQuota")
        told = yield self._write(
            f"occupy: {after.status}", order, row, only_if=lambda world: not has_place or world.taken < PLACES,
            change=lambda world: placed(world._replace(order=world.order._replace(is_placed=True)), after),
        )  # fmt: skip
        return ACK if told.value == DONE else AGAIN

    def paid(self) -> Step:
        order = yield read("order")
        row = yield read("row")
        if order.value.is_paid:
            if row.value.status == "WaitToReward":
                yield send(("grant",), self.kept)
            return ACK
        taken = yield places()
        after = _booked(row.value, earned(order.value), is_room=taken.value < PLACES)
        takes_place = after.has_place and not row.value.has_place
        told = yield self._write(
            f"book: {after.status}", order, row, only_if=lambda world: not takes_place or world.taken < PLACES,
            change=lambda world: placed(world._replace(order=world.order._replace(is_paid=True)), after),
        )  # fmt: skip
        if told.value == FAILED:
            return AGAIN
        if after.status == "WaitToReward":
            yield send(("grant",), self.kept)
        return ACK

    def expire(self) -> Step:
        row = yield read("row")
        if row.value.status != "Occupy":
            return ACK
        return (yield from self._cancel(row))

    failed = expire

    def returned(self, line: str) -> Step:
        order = yield read("order")
        if line in order.value.returned:
            return ACK if self.without is Without.REPEATS else Go("reconcile")
        after = order.value._replace(returned=tuple(sorted((*order.value.returned, line))))
        told = yield self._write(
            f"record the return of {line}", order, change=lambda world: world._replace(order=after)
        )
        return Go("reconcile") if told.value == DONE else AGAIN

    def reconcile(self) -> Step:
        """Make the row agree with the returns on the order; anyone may, at any time."""
        row, order = yield from self._row_and_order()
        was, owed = row.value, earned(order.value)
        if was.lock and self.without is not Without.RESPECT:
            return ACK if was.return_pending else (yield from self._put(row, "flag", return_pending=True))
        if was.status in ("Occupy", "WaitToReward") and not owed:
            return (yield from self._cancel(row))
        if was.status == "WaitToReward" and (owed != was.points or was.return_pending):
            return (yield from self._put(row, f"lower to {owed}", points=owed, return_pending=False))
        if was.status == "Reward" and was.points - was.recycled > owed:
            ended = yield from self._put(row, "to be recycled", due="recycle", is_held=False)
            if ended == ACK:
                yield send(("recycle",), self.kept)
            return ended
        return ACK

    def redrive(self) -> Step:
        """A person has a parked row tried again."""
        row = yield read("row")
        if not row.value.is_held:
            return ACK
        due = "recycle" if row.value.status == "Reward" else "reward"
        return (yield from self._put(row, "redrive", is_held=False, due=due))


def _booked(row: Row, points: int, *, is_room: bool) -> Row:
    if row.status == "MatchWithoutQuota" or (row.status == "Cancel" and not points):
        return row
    if not points:
        return Row("Cancel")
    if not row.has_place and not is_room:
        return Row("MatchWithoutQuota")
    return row._replace(status="WaitToReward", points=points, due="reward", has_place=True)
