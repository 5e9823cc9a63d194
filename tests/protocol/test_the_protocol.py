"""At most one effect, and in the end either granted or cancelled: shown for every way that things can happen.

The protocol is searched through to its last state; then it is damaged, one part at a time, and each time the search
must find how that ends badly. A check takes the small stories, a soak the large ones too.
"""

from collections.abc import Callable

import pytest

from tests.protocol.search import Story, search
from tests.protocol.world import Order, Row, World
from tests.protocol.writes import Without
from tests.soak import IS_SOAK

PLACED, PAID, FAILED = ("placed",), ("paid",), ("failed",)
A, B, ALL = ("returned", "a"), ("returned", "b"), ("returned", "all")

KEPT, NOTHING_KEPT, PART_KEPT = ("Reward", 3), ("Reward", 0), ("Reward", 2)
CANCELLED, WITHOUT_PLACE, NO_ROW = ("Cancel", 0), ("MatchWithoutQuota", 0), ("", 0)

A_IS_OWED_BACK = World(
    Order(is_paid=True, returned=("a",)),
    Row("Reward", points=3, due="recycle", has_place=True),
    taken=1,
    given=((("grant", 0), 3),),
)

SMALL = {
    "paid twice, and no for an answer": (Story({PAID: 2}, noes=1), {KEPT}),
    "paid, and a part returned": (Story({PAID: 1, A: 1}), {PART_KEPT}),
    "paid, and all returned": (Story({PAID: 1, ALL: 1}), {NOTHING_KEPT, CANCELLED}),
    "placed, paid and failed, and others want the place": (
        Story({PLACED: 1, PAID: 1, FAILED: 1}, rivals=True),
        {KEPT, WITHOUT_PLACE},
    ),
    "placed, failed and returned": (Story({PLACED: 1, FAILED: 1, ALL: 1}), {CANCELLED, NO_ROW}),
    "the rest returned while a part is taken back": (Story({B: 1}, noes=1, before=A_IS_OWED_BACK), {NOTHING_KEPT}),
}
LARGE = {
    "paid, all returned, no for an answer": (Story({PAID: 1, ALL: 1}, noes=1), {NOTHING_KEPT, CANCELLED}),
    "paid, a part returned, no for an answer": (Story({PAID: 1, A: 1}, noes=1), {PART_KEPT}),
    "paid, all returned, messages that stay": (Story({PAID: 1, ALL: 1}, kept=1), {NOTHING_KEPT, CANCELLED}),
    "paid, and returned piece by piece": (Story({PAID: 1, A: 1, B: 1}), {NOTHING_KEPT, CANCELLED}),
    "paid and returned, each twice": (Story({PAID: 2, ALL: 2}), {NOTHING_KEPT, CANCELLED}),
    "placed, paid, failed and returned": (
        Story({PLACED: 1, PAID: 1, FAILED: 1, ALL: 1}, rivals=True),
        {NOTHING_KEPT, CANCELLED, WITHOUT_PLACE},
    ),
    "three at work on one that is paid": (Story({PAID: 1}, workers=3, noes=1), {KEPT}),
}
STORIES = SMALL | LARGE if IS_SOAK else SMALL

SHOWN_BY = {
    Without.LOCK: SMALL["paid, and all returned"],
    Without.ONE_TRANSACTION: SMALL["paid, and all returned"],
    Without.ROW_FIRST: SMALL["the rest returned while a part is taken back"],
}
"""The stories that show what is missing, where the ordinary one, paid and a part returned, does not."""


@pytest.mark.parametrize("name", STORIES)
def test_whatever_happens_it_ends_well(name: str, record_property: Callable[[str, int], None]) -> None:
    story, endings = STORIES[name]
    found = search(story)
    assert found.wrong is None, "\n".join(found.way)
    assert found.endings == endings
    record_property("states of the protocol", found.states)


@pytest.mark.parametrize("without", Without)
def test_each_part_of_the_protocol_is_needed(without: Without) -> None:
    story, _ = SHOWN_BY.get(without, SMALL["paid, and a part returned"])
    found = search(story, without)
    assert found.wrong
    assert found.way, "and the shortest way to it"
