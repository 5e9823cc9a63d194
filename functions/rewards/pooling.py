"""Pooling: many rewards are worked on side by side, so that what they ask for goes out in a few calls.

The work on a reward is straight-line. It yields its requests one by one, each of them atomic, and may stand still
between any two, as in the model of the protocol (`tests/protocol/`). A pool goes on with all its works in step: what
they wait for is asked for together, and each is told its own answer, or is raised its own error.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from rewards.ledger import Ledger
from rewards.order import Order, OrderId
from rewards.reward import Reward, RewardId

Key = TypeVar("Key")
Subject = TypeVar("Subject")
Answer = TypeVar("Answer")
Result = TypeVar("Result")


ONE_BY_ONE_MOST = 25
"""So many calls, one after the other, still end well before a worker that has time left for them is out of time."""


class Asking(NamedTuple, Generic[Subject, Answer]):
    """A question that is put about many subjects at once; `together` is how many are best.

    The answers are in the order of the subjects. One that could not be asked about is answered with what that raised.
    """

    ask: Callable[[Sequence[Subject]], Sequence[Answer | Exception]]
    together: int


class Read(NamedTuple):
    """The reward as it stands."""

    id: RewardId


class ReadOrder(NamedTuple):
    """The order as it stands."""

    id: OrderId


class Write(NamedTuple):
    """The reward as it becomes, if it still is what it was before."""

    before: Reward
    after: Reward


class Put(NamedTuple):
    """A question that somebody else answers, and what it is about."""

    asking: Asking[Any, Any]
    subject: Any


Request = Read | ReadOrder | Write | Put
Work = Generator[Request, Any, Result]


def read(id: RewardId) -> Work[Reward | None]:
    row: Reward | None = yield Read(id)
    return row


def read_order(row: Reward) -> Work[Order]:
    """The order that a reward was written with. Raises LookupError if there is none: nothing is judged by nothing."""
    order: Order | None = yield ReadOrder(row.id.order)
    if order is None:
        raise LookupError(f"reward {row.id} has no order")
    return order


def write(before: Reward, after: Reward) -> Work[bool]:
    """Whether it was written; False where somebody else has written the row since."""
    is_written: bool = yield Write(before, after)
    return is_written


def put(asking: Asking[Subject, Answer], subject: Subject) -> Work[Answer]:
    answer: Answer = yield Put(asking, subject)
    return answer


def one_by_one(ask: Callable[[Subject], Answer], together: int) -> Asking[Subject, Answer]:
    """A question that can only be put about one subject at a time."""

    def tried(subject: Subject) -> Answer | Exception:
        try:
            return ask(subject)
        except Exception as error:
            return error

    return Asking(lambda subjects: [tried(subject) for subject in subjects], min(together, ONE_BY_ONE_MOST))


def pooled(works: Mapping[Key, Work[Result]], ledger: Ledger) -> dict[Key, Result | Exception]:
    """What came of each work: its result, or what it raised, which stops no other. No two may be on the same reward."""
    ended: dict[Key, Result | Exception] = {}
    waiting: dict[Key, Request] = {}

    def go_on(key: Key, resume: Callable[[], Request]) -> None:
        try:
            waiting[key] = resume()
        except StopIteration as end:
            ended[key] = end.value
        except Exception as error:
            ended[key] = error

    for key, work in works.items():
        go_on(key, partial(next, work))
    while waiting:
        asked, waiting = waiting, {}
        for key, answer in _answers(asked, ledger):
            go_on(key, partial(works[key].throw if isinstance(answer, Exception) else works[key].send, answer))
    return ended


def alone(work: Work[Result], ledger: Ledger) -> Result:
    """What came of a single work. Raises what it raised."""
    (ended,) = pooled({"alone": work}, ledger).values()
    if isinstance(ended, Exception):
        raise ended
    return ended


def _answers(asked: Mapping[Key, Request], ledger: Ledger) -> Iterator[tuple[Key, Any]]:
    """Those of the ledger first, so that no row waits to be settled while a slow provider is asked for another."""
    writes = {key: request for key, request in asked.items() if isinstance(request, Write)}
    reads = {key: request.id for key, request in asked.items() if isinstance(request, Read)}
    orders = {key: request.id for key, request in asked.items() if isinstance(request, ReadOrder)}
    yield from _told(writes, ledger.write_each)
    yield from _told(reads, ledger.each_reward)
    yield from _told(orders, ledger.each_order)
    puts = [(key, request) for key, request in asked.items() if isinstance(request, Put)]
    for asking in dict.fromkeys(request.asking for _, request in puts):
        subjects = {key: request.subject for key, request in puts if request.asking == asking}
        yield from _told(subjects, asking.ask)


def _told(asked: Mapping[Key, Subject], ask: Callable[[Sequence[Subject]], Sequence[Any]]) -> Iterator[tuple[Key, Any]]:
    """Each with its answer. A call that fails as a whole has failed for each of them."""
    if not asked:
        return
    try:
        answers = ask([*asked.values()])
    except Exception as error:
        answers = [error] * len(asked)
    yield from zip(asked, answers, strict=True)
