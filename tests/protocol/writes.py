"""What a step is made of, and the writes that all of them share."""

from collections.abc import Generator
from enum import StrEnum
from typing import Any, NamedTuple

from tests.protocol.requests import DONE, Request, Told, read, write
from tests.protocol.world import Row, World

ACK, AGAIN = "acknowledged", "again"


class Go(NamedTuple):
    """On with this step, which is handed these things that were told."""

    step: str
    args: tuple[Any, ...] = ()
    told: tuple[Told, ...] = ()


Step = Generator[Request | None, Told, str | Go]


class Without(StrEnum):
    """What the protocol is damaged by, to show that it is needed."""

    LOCK = "the provider is called without a claim"
    KEY = "the provider forgets which keys it has seen"
    SAME_KEY = "a take-over makes a key of its own"
    VERSION = "writes do not ask for the version that was read"
    DUE_INDEX = "nothing is found in the due index, there are only messages"
    DUE_WHILE_CLAIMED = "a claim takes the row out of the due index"
    RESPECT = "a return changes the amount of a row that is claimed"
    REPEATS = "a return that is recorded already is acknowledged at once"
    TOKEN = "a claim is settled by whoever has called the provider"
    ONE_TRANSACTION = "the place is given back in a request of its own"
    ROW_FIRST = "the order is read before the row"
    FLAG = "settling overlooks a return that came meanwhile"


class Writes:
    """The protocol `without` one of its parts, or whole; of equal messages it sends, `kept` are not lost."""

    def __init__(self, without: Without | None = None, kept: int = 0) -> None:
        self.without = without
        self.kept = kept

    def _row_and_order(self) -> Generator[Request, Told, tuple[Told, Told]]:
        """The row first: a return that is recorded after it was read finds, in its turn, what is written over it."""
        if self.without is Without.ROW_FIRST:
            order, row = (yield read("order")), (yield read("row"))
        else:
            row, order = (yield read("row")), (yield read("order"))
        return row, order

    def _cancel(self, row: Told) -> Step:
        after = row.value._replace(
            status="Cancel", points=0, has_place=False, due="", return_pending=False, is_held=False, lock=None
        )  # fmt: skip
        if self.without is Without.ONE_TRANSACTION:
            told = yield self._write("cancel", row, change=lambda world: world._replace(row=after))
            if told.value == DONE and row.value.has_place:
                yield self._write("give the place back", change=lambda world: world._replace(taken=world.taken - 1))
        else:
            told = yield self._write("cancel", row, change=lambda world: placed(world, after))
        return ACK if told.value == DONE else AGAIN

    def _write(self, name: str, *read: Told, **how: Any) -> Request:
        return write(name, *map(self._unless_unconditional, read), **how)

    def _unless_unconditional(self, told: Told) -> Told:
        """Without versions whatever was read passes for what still stands."""
        return told._replace(is_fresh=True) if self.without is Without.VERSION else told

    def _put(self, row: Told, name: str, **fields: Any) -> Step:
        after = row.value._replace(**fields)
        told = yield self._write(name, row, change=lambda world: world._replace(row=after))
        return ACK if told.value == DONE else AGAIN


def placed(world: World, after: Row) -> World:
    """The row as it becomes, and the count of places in step with it."""
    return world._replace(row=after, taken=world.taken + after.has_place - world.row.has_place)
