"""An audit from end to end: every file is cut into parts, then every part is compared, in several processes."""

import os
import resource
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from ops.audit.compare import Compared, compare
from ops.audit.export import TABLES, Listed, Tables, find
from ops.audit.partition import cut
from ops.trouble import Trouble
from rewards.auditing.books import audit_places, audit_stocks
from rewards.auditing.finding import Finding
from rewards.auditing.orders import AsOf
from rewards.identifiers import split
from rewards.timetable import Timetable

ITEMS_IN_A_PART = 50_000
"""What a process holds at a time: some hundred megabytes."""

PARTS_MOST = 500
"""Each is a file open in every process that cuts."""

FILES_BESIDES = 100
"""What a process has open otherwise: libraries, pipes, the export."""

ONE_NIGHT = timedelta(hours=2)
"""How far apart the exports may be that are compared with each other."""

T = TypeVar("T")
R = TypeVar("R")


class Audit(Struct, frozen=True):
    """What was looked at, as of when, and what was found: `compared` are the tables that were."""

    as_of: datetime
    compared: tuple[str, ...]
    items: int
    orders: int
    rewards: int
    findings: list[Finding]


def audit(
    folder: Path,
    timetable: Timetable,
    compared: tuple[str, ...] = TABLES,
    *,
    processes: int | None = None,
    items_in_a_part: int = ITEMS_IN_A_PART,
) -> Audit:
    """Compare the tables in a folder of exports. Raises Trouble if they are not all there."""
    tables = find(folder, compared)
    as_of = _as_of(tables)
    parts = min(PARTS_MOST, 1 + tables.items // items_in_a_part)
    may_open(parts)
    with tempfile.TemporaryDirectory() as temporary, _workers(parts, processes) as workers:
        into = Path(temporary)
        for part in range(parts):
            (into / f"{part:04}").mkdir()
        items = _each(workers, partial(_cut, into=into, parts=parts), tables.files)
        work = partial(compare, timetable=timetable, as_of=as_of, with_wallet="wallet" in compared)
        done = _each(workers, work, sorted(into.iterdir()))
    return Audit(
        as_of.ledger,
        compared,
        sum(items),
        sum(each.orders for each in done),
        sum(each.rewards for each in done),
        [*(finding for each in done for finding in each.findings), *_in_all(done)],
    )


def may_open(files: int) -> None:
    """Let this process, and those it starts, hold so many files open: a shell may allow less than the system does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files + FILES_BESIDES
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))


def _as_of(tables: Tables) -> AsOf:
    books = [at for table, at in tables.at.items() if table != "ledger"]
    as_of = AsOf(min(books), tables.at["ledger"])
    if max(books) > as_of.ledger or as_of.ledger - as_of.books > ONE_NIGHT:
        told = ", ".join(f"{table} {at:%Y-%m-%d %H:%M}" for table, at in tables.at.items())
        raise Trouble(f"These exports are not of one night, the ledger last: {told} (UTC).")
    return as_of


def _in_all(compared: Iterable[Compared]) -> Iterable[Finding]:
    """What only all the parts together show."""
    coupons, moved, issued = Counter[Any](), Counter[Any](), dict[Any, int]()
    for each in compared:
        coupons += each.coupons
        moved += each.moved
        issued |= each.issued
    yield from audit_stocks(issued, coupons)
    for each in compared:
        for key, places in each.places.items():
            shop_id, promotion_id, *counted = split(key)
            about = "/".join((shop_id, promotion_id, *counted))
            yield from audit_places(about, places._replace(moved=moved[shop_id, promotion_id]))


def _cut(file: Listed, into: Path, parts: int) -> int:
    items = cut(file.table, file.path, into=into, parts=parts)
    if items != file.items:
        raise Trouble(f"{file.path} has {items:,} items, and its manifest says {file.items:,}: it is not whole.")
    return items


def _workers(parts: int, processes: int | None) -> AbstractContextManager[Executor | None]:
    """As many as there are cores; what fits into one part is not worth starting any."""
    if parts == 1 or processes == 1:
        return nullcontext()
    return ProcessPoolExecutor(processes or os.cpu_count(), mp_context=get_context("spawn"))


def _each(workers: Executor | None, work: Callable[[T], R], over: Iterable[T]) -> list[R]:
    return list(workers.map(work, over) if workers else map(work, over))
