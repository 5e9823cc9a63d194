"""Every state that the protocol can come to, whatever its workers, messages and leases do.

A worker is the message it works, the step it is at, and what it was told so far: its step is run anew over that to get
its next request. Somebody else's write makes stale what it was told of that item, somebody else's claim makes its own
one lost. So there are only so many states, and no bound on crashes and tries.

The adversary lets any worker go on, lets it die after any request, gives one message to two workers, lets a lease end
while its holder lives, finds what is due at any time, and takes and gives back places for other orders.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.protocol.requests import Answer, Request, Told
from tests.protocol.steps import Steps
from tests.protocol.world import PLACES, Message, World
from tests.protocol.writes import ACK, Go, Without

DUE_STEPS = {"reward": "grant", "recycle": "recycle", "expire": "expire"}
NOBODY = -1


class Worker(NamedTuple):
    message: Message
    step: str
    args: tuple[Any, ...] = ()
    told: tuple[Told, ...] = ()

    def after(self, answer: Answer) -> "Worker":
        """Once somebody's request, its own or another's, was answered."""
        return self._replace(told=tuple(told.after(answer) for told in self.told))


State = tuple[int, ...]
"""The number of a world and, in their order, those of the workers in it: the same one is worked out only once."""


class Move(NamedTuple):
    """What one request may lead to: which world, where its worker is then, and the answer, if others notice it."""

    name: str
    world: int
    worker: int
    noticed: int


class Explorer:
    def __init__(self, steps: Steps, *, workers: int, rivals: bool) -> None:
        self._steps = steps
        self._workers = workers
        self._rivals = rivals
        self._things: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._upcoming: dict[Any, Request | str | Go] = {}
        self._moves: dict[tuple[int, int], list[Move]] = {}
        self._starts: dict[int, list[int]] = {}
        self._noticed: dict[tuple[int, int], int] = {}

    def state(self, world: World) -> State:
        """This world, with nobody at work."""
        return (self._number(world),)

    def world(self, state: State) -> World:
        found: World = self._things[state[0]]
        return found

    def moves(self, state: State) -> Iterator[tuple[str, State]]:
        """All that can happen next, in words, and what is then."""
        world, *workers = state
        for place, worker in enumerate(workers):
            if worker not in workers[:place]:
                yield from self._goes_on(world, worker, workers[:place] + workers[place + 1 :])
        if len(workers) < self._workers:
            if world not in self._starts:
                self._starts[world] = [self._number(worker) for worker in self._may_start(self._things[world])]
            for worker in self._starts[world]:
                yield from self._goes_on(world, worker, workers)
        if self._rivals:
            yield from self._rivals_move(self._things[world], workers)

    def _goes_on(self, world: int, worker: int, others: list[int]) -> Iterator[tuple[str, State]]:
        if (world, worker) not in self._moves:
            self._moves[world, worker] = list(self._worked_out(self._things[world], self._things[worker]))
        for name, after, me, noticed in self._moves[world, worker]:
            still = others if noticed == NOBODY else [self._after(other, noticed) for other in others]
            yield name, (after, *sorted(still if me == NOBODY else [*still, me]))

    def _worked_out(self, world: World, worker: Worker) -> Iterator[Move]:
        """All that may come of the worker's next request, and its death after each."""
        request = self._next(worker)
        if not isinstance(request, Request):
            yield Move(f"{worker.message} is done with", self._number(self._carried(world, worker)[0]), NOBODY, NOBODY)
            return
        for answer in request.answers(world):
            name = f"{' '.join(map(str, worker.message))}: {request.name} → {answer.told.value}"
            noticed = self._number(answer) if answer.written else NOBODY
            me = worker.after(answer)
            after, me_then = self._carried(answer.world, me._replace(told=(*me.told, answer.told)))
            yield Move(name, self._number(after), self._number(me_then) if me_then else NOBODY, noticed)
            yield Move(f"{name}, and dies", self._number(answer.world), NOBODY, noticed)

    def _carried(self, world: World, worker: Worker) -> tuple[World, Worker | None]:
        """The worker where it makes its next request; none where its message is done with."""
        while not isinstance(upcoming := self._next(worker), Request):
            if upcoming == ACK:
                return _acknowledged(world, worker.message), None
            if isinstance(upcoming, Go):
                worker = worker._replace(step=upcoming.step, args=upcoming.args, told=upcoming.told)
            else:
                worker = worker._replace(told=())
        return world, worker

    def _next(self, worker: Worker) -> Request | str | Go:
        key = worker[1:]
        if key not in self._upcoming:
            self._upcoming[key] = self._run(worker)
        return self._upcoming[key]

    def _run(self, worker: Worker) -> Request | str | Go:
        step = getattr(self._steps, worker.step)(*worker.args)
        try:
            request = next(step)
            for told in worker.told:
                request = step.send(told)
        except StopIteration as ended:
            outcome: str | Go = ended.value
            return outcome
        assert request
        return request

    def _may_start(self, world: World) -> list[Worker]:
        """On a message that is there, on the row if it is due, and a person on a row that is parked."""
        found = [Worker(message, str(message[0]), message[1:]) for message, _ in world.messages]
        if world.row.due and self._steps.without is not Without.DUE_INDEX:
            found.append(Worker(("sweep",), DUE_STEPS[world.row.due]))
        return [*found, Worker(("person",), "redrive")] if world.row.is_held else found

    def _rivals_move(self, world: World, workers: list[int]) -> Iterator[tuple[str, State]]:
        if world.taken < PLACES:
            after = world._replace(taken=world.taken + 1, others=world.others + 1)
            yield "a rival takes a place", (self._number(after), *workers)
        if world.others:
            after = world._replace(taken=world.taken - 1, others=world.others - 1)
            yield "a rival gives a place back", (self._number(after), *workers)

    def _after(self, worker: int, noticed: int) -> int:
        if (worker, noticed) not in self._noticed:
            self._noticed[worker, noticed] = self._number(self._things[worker].after(self._things[noticed]))
        return self._noticed[worker, noticed]

    def _number(self, thing: World | Worker | Answer) -> int:
        if thing not in self._numbers:
            self._numbers[thing] = len(self._things)
            self._things.append(thing)
        return self._numbers[thing]


def _acknowledged(world: World, message: Message) -> World:
    left = ((each, times - (each == message)) for each, times in world.messages)
    return world._replace(messages=tuple((each, times) for each, times in left if times))
