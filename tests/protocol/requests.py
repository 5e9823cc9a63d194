"""Requests: each is one atomic call of DynamoDB, SQS or the provider, and all that it may be answered."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.protocol.world import Item, Lock, Message, Row, World


class Told(NamedTuple):
    """What a worker was told. `is_fresh`: nobody has written the item since; `is_mine`: nobody has claimed it since."""

    value: Any
    item: Item | None = None
    is_fresh: bool = False
    is_mine: bool = False

    def after(self, answer: "Answer") -> "Told":
        """Once somebody's request was answered."""
        if self.item not in answer.written:
            return self
        return self._replace(is_fresh=False, is_mine=self.is_mine and not answer.told.is_mine)


class Answer(NamedTuple):
    """One thing that may come of a request: the world after it, what is told, and which items were written."""

    world: World
    told: Told
    written: tuple[Item, ...] = ()


class Request(NamedTuple):
    name: str
    answers: Callable[[World], list[Answer]]


Change = Callable[[World], World]
DONE, FAILED, LEASED = "done", "failed", "leased"


def read(item: Item) -> Request:
    return Request(f"read {item}", lambda world: [Answer(world, Told(getattr(world, item), item, is_fresh=True))])


def places() -> Request:
    return Request("count places", lambda world: [Answer(world, Told(world.taken))])


def write(name: str, *read: Told, change: Change, only_if: Callable[[World], bool] = lambda _: True) -> Request:
    """One transaction: all that was `read` must still be as it was; every item of it gets its next version."""

    def answers(world: World) -> list[Answer]:
        if not all(told.is_fresh for told in read) or not only_if(world):
            return [Answer(world, Told(FAILED))]
        return [Answer(change(world), Told(DONE), tuple(told.item for told in read if told.item))]

    return Request(name, answers)


def claim(row: Told, claimed: Row) -> Request:
    """Write the intent ahead. Where another worker has the row, its lease may be over or not: no one can know."""

    def answers(world: World) -> list[Answer]:
        if not row.is_fresh:
            return [Answer(world, Told(FAILED))]
        won = Answer(world._replace(row=claimed), Told(claimed, "row", is_fresh=True, is_mine=True), ("row",))
        return [won, Answer(world, Told(LEASED))] if world.row.lock else [won]

    return Request(f"claim for {claimed.lock}", answers)


def send(message: Message, most: int) -> Request:
    """`most` of the same message are kept, the others are lost."""

    def answers(world: World) -> list[Answer]:
        waiting = dict(world.messages)
        waiting[message] = min(most, waiting.get(message, 0) + 1)
        messages = tuple(sorted((each, times) for each, times in waiting.items() if times))
        return [Answer(world._replace(messages=messages), Told(DONE))]

    return Request(f"send {message}", answers)


def call(book: str, lock: Lock, noes: tuple[str, ...], *, knows_keys: bool) -> Request:
    """Have the provider give or collect: once for a key, and its first final answer stands.

    That the reply is lost is no other case than a worker that dies after the call.
    """

    def answers(world: World) -> list[Answer]:
        entries, final = getattr(world, book), dict(world.final)
        if knows_keys and lock.key in dict(entries):
            return [Answer(world, Told((DONE, dict(entries)[lock.key])))]
        if lock.key in final:
            return [Answer(world, Told((final[lock.key], 0)))]
        done = world._replace(**{book: (*entries, (lock.key, lock.amount))})
        spoilt = [_spoilt(world, lock, no) for no in noes] if world.noes else []
        return [Answer(done, Told((DONE, lock.amount))), *spoilt]

    return Request(f"{book} {lock.amount} for {lock.key}", answers)


def _spoilt(world: World, lock: Lock, no: str) -> Answer:
    final = world.final if no == "busy" else (*world.final, (lock.key, no))
    return Answer(world._replace(noes=world.noes - 1, final=final), Told((no, 0)))
