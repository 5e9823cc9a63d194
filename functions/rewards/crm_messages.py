"""What the import's steps send each other: shops to look at, files to read on, orders to match."""

from datetime import timedelta
from typing import NamedTuple, Protocol

from msgspec import Struct, field

from rewards.crm_files import Counts, CrmFile
from rewards.crm_orders import CrmOrder
from rewards.crm_rows import Layout
from rewards.crm_text import Encoding
from rewards.tasks import MESSAGE_VERSION, parsed


class Place(Struct, frozen=True, omit_defaults=True):
    """Where to read a file on: at the byte `start`, after `line` lines that came to `counts`.

    `layout` is that of a CSV file. `readers` is how many there are, the one of this message included.
    """

    encoding: Encoding
    layout: Layout | None = None
    start: int = 0
    line: int = 0
    counts: Counts = Counts()
    readers: int = 1


class Collection(Struct, frozen=True, omit_defaults=True):
    """A message to `collect`: a shop whose folders are to be looked through, or a file of it that is to be read.

    `place` is where to go on; a file without one is yet to be begun.
    """

    shop: str
    file: CrmFile | None = None
    place: Place | None = None
    v: int = field(default_factory=lambda: MESSAGE_VERSION)


class Batch(Struct, frozen=True, omit_defaults=True):
    """A message to `match`: orders of a shop, whole ones, from one file."""

    shop_id: str
    file: str
    orders: tuple[CrmOrder, ...]
    v: int = field(default_factory=lambda: MESSAGE_VERSION)


class DelayedCollection(NamedTuple):
    """A message to `collect` that is to be seen only after this time, 15 minutes at most."""

    collection: Collection
    delay: timedelta = timedelta()


class CollectQueue(Protocol):
    """Raises when something could not be sent, after it was tried again."""

    def send(self, collections: list[DelayedCollection]) -> None: ...


class BatchQueue(Protocol):
    """Raises when something could not be sent, after it was tried again."""

    def send(self, batches: list[Batch]) -> None: ...


def parse_collection(body: str) -> Collection:
    """A message to `collect`. Raises `Invalid`, or `TooNew`."""
    return parsed(body, Collection)


def parse_batch(body: str) -> Batch:
    """A message to `match`. Raises `Invalid`, or `TooNew`."""
    return parsed(body, Batch)
