"""Chunks: a file is read in pieces of whole orders, cut by its rows alone.

Whoever reads it, and however often, meets the same chunks: the same batches are sent, and the same rows set aside.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct, field

from rewards.crm_files import Counts, CrmFile
from rewards.crm_orders import CrmOrder, Damaged, Reject, Run, order_of, rejects
from rewards.crm_rows import Row

CHUNK_ROWS = 1_000
BATCH_ORDERS = 25
BATCH_BYTES = 256 * 1024


class Chunk(Struct):
    """Some orders of a file and what was set aside among them. `after` is the row that the next one begins with."""

    orders: list[CrmOrder] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    counts: Counts = Counts()
    after: Row | None = None


def chunks(file: CrmFile, found: Iterable[Run], rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
    """Chunks of so many `rows`, but for the end of the order that reaches the number; the last may have none."""
    chunk = Chunk()
    for run in found:
        if chunk.counts.read >= rows and run.rows:
            chunk.after = run.rows[0]
            yield chunk
            chunk = Chunk()
        _add(run, chunk, file)
    yield chunk


def _add(run: Run, chunk: Chunk, file: CrmFile) -> None:
    rows = len(run.rows)
    total = rows + run.empty
    if not rows:
        chunk.counts += Counts(total, skipped=total)
        return
    try:
        chunk.orders.append(order_of(run.rows))
        chunk.counts += Counts(total, accepted=rows, skipped=run.empty)
    except Damaged as damaged:
        chunk.rejects += rejects(file.key, run.rows, damaged)
        chunk.counts += Counts(total, skipped=run.empty, rejected=rows)


def batches_of(orders: Iterable[CrmOrder]) -> Iterator[tuple[CrmOrder, ...]]:
    """The orders in batches that fit a message, none of them cut."""
    batch: list[CrmOrder] = []
    size = 0
    for order in orders:
        length = len(msgspec.json.encode(order))
        if batch and (len(batch) == BATCH_ORDERS or size + length > BATCH_BYTES):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(order)
        size += length
    if batch:
        yield tuple(batch)
