"""The search through all states, and what must hold in them."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.protocol.explorer import Explorer
from tests.protocol.steps import Steps
from tests.protocol.world import PLACES, Message, World, earned
from tests.protocol.writes import Without


class Story(NamedTuple):
    """The events that come, and how many times each, to workers of whom so many are at work at once.

    The provider says no up to `noes` times; `rivals` take and give back places; of equal messages that the steps send
    each other `kept` are not lost: with none all that is owed must be found in the due index.
    """

    events: dict[Message, int]
    workers: int = 2
    noes: int = 0
    rivals: bool = False
    kept: int = 0
    before: World = World()


class Finding(NamedTuple):
    """The number of states, how the reward may end; and, if something is wrong, what, and the shortest way to it."""

    states: int
    endings: frozenset[tuple[str, int]] = frozenset()
    wrong: str | None = None
    way: tuple[str, ...] = ()


def search(story: Story, without: Without | None = None) -> Finding:
    """Go through all states, breadth first."""
    explorer = Explorer(Steps(without, story.kept), workers=story.workers, rivals=story.rivals)
    start = explorer.state(story.before._replace(noes=story.noes, messages=tuple(sorted(story.events.items()))))
    numbers, states, came_from = {start: 0}, [start], [(-1, "")]
    before: list[list[int]] = [[]]
    rests: list[int] = []
    for number, state in enumerate(states):
        world = explorer.world(state)
        is_at_rest = len(state) == 1 and _is_at_rest(world, without)
        if is_at_rest:
            rests.append(number)
        if wrong := always_wrong(world) or (is_at_rest and wrong_at_rest(world)):
            return Finding(len(states), wrong=wrong, way=tuple(_way(number, came_from)))
        for name, after in explorer.moves(state):
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
                came_from.append((number, name))
                before.append([])
            before[numbers[after]].append(number)
    if stuck := _never_at_rest(rests, before):
        return Finding(len(states), wrong="stuck: it can never come to rest", way=tuple(_way(stuck, came_from)))
    endings = [explorer.world(states[rest]) for rest in rests]
    return Finding(len(states), frozenset((world.row.status, world.wallet) for world in endings))


def always_wrong(world: World) -> str | None:
    """What must hold in every world, in the middle of everything."""
    row = world.row
    given, collected = (sum(points for _, points in book) for book in (world.given, world.collected))
    if len(world.given) > 1:
        return "given twice"
    if collected > given:
        return "more was taken back than given"
    if row.status == "Reward" and row.recycled > row.points:
        return "the row says so"
    if world.taken != world.others + row.has_place:
        return "places taken are not places held"
    if world.taken > PLACES:
        return "more places are taken than there are"
    return None


def wrong_at_rest(world: World) -> str | None:
    """What must have come of it in the end: the member has what the lines kept earn, and the row agrees."""
    row = world.row
    if row.lock or row.return_pending or row.status in ("Occupy", "WaitToReward"):
        return f"left waiting: {row}"
    owed = earned(world.order) if world.order.is_paid and row.status != "MatchWithoutQuota" else 0
    if world.wallet != owed:
        return f"the member has {world.wallet}, but is owed {owed}"
    if row.status == "Reward" and row.points - row.recycled != world.wallet:
        return "row and wallet differ"
    return None


def _is_at_rest(world: World, without: Without | None) -> bool:
    """No message waits, and nothing stands in the due index or waits for a person."""
    is_due = world.row.due and without is not Without.DUE_INDEX
    return not (world.messages or is_due or world.row.is_held)


def _never_at_rest(rests: list[int], before: list[list[int]]) -> int | None:
    """The first state from which no rest can be reached any more."""
    good, left = set(rests), [*rests]
    while left:
        for number in before[left.pop()]:
            if number not in good:
                good.add(number)
                left.append(number)
    return next((number for number in range(len(before)) if number not in good), None)


def _way(number: int, came_from: list[tuple[int, str]]) -> Iterator[str]:
    before, name = came_from[number]
    if before >= 0:
        yield from _way(before, came_from)
        yield name
