"""What the protocol keeps: one order with one reward, the count of places, what the provider has done, and messages.

A version is not a number here but a question, whether anybody has written the item since it was read: so there are
only so many worlds, however often workers crash and try again.
"""

from typing import Literal, NamedTuple

Item = Literal["order", "row"]
Message = tuple[str, ...]
"""What it is of, and what it names."""

Key = tuple[str, int]

PLACES = 1
ALL = "all"
POINTS = {"a": 1, "b": 2}
"""What each line of the order earns. A return brings one of them back, or all."""


class Order(NamedTuple):
    is_placed: bool = False
    is_paid: bool = False
    returned: tuple[str, ...] = ()


class Lock(NamedTuple):
    """The intent of a claim. Its lease is not here: it may be over at any time, whatever its holder does."""

    key: Key
    amount: int


class Row(NamedTuple):
    """`due` is what the row waits for in the due index, nothing where it is not there."""

    status: str = ""
    points: int = 0
    recycled: int = 0
    attempt: int = 0
    seq: int = 0
    lock: Lock | None = None
    return_pending: bool = False
    due: str = ""
    has_place: bool = False
    is_held: bool = False


class World(NamedTuple):
    """`taken` counts places, those of `others` among them. `given` and `collected` are what took effect, by key.

    The provider may still say no as often as `noes` has it, and says the same for that key ever after (`final`).
    """

    order: Order = Order()
    row: Row = Row()
    taken: int = 0
    others: int = 0
    given: tuple[tuple[Key, int], ...] = ()
    collected: tuple[tuple[Key, int], ...] = ()
    noes: int = 0
    final: tuple[tuple[Key, str], ...] = ()
    messages: tuple[tuple[Message, int], ...] = ()

    @property
    def wallet(self) -> int:
        return sum(points for _, points in self.given) - sum(points for _, points in self.collected)


def earned(order: Order) -> int:
    """What is kept of the order earns this."""
    return 0 if ALL in order.returned else sum(points for line, points in POINTS.items() if line not in order.returned)
