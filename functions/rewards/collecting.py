"""Collecting: the shops' files become batches of orders, without any file being held.

Near its time limit a reader sends the rest of the file on, from the byte where the next chunk begins. One that dies
anywhere leaves a file without a summary: it is read again, and what is matched twice counts once.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from io import BufferedReader

from msgspec import Struct
from msgspec.structs import replace

from rewards.crm_chunks import CHUNK_ROWS, batches_of, chunks
from rewards.crm_files import Counts, CrmFile, Files, Replaced, Summary, shops, uncovered
from rewards.crm_messages import Batch, BatchQueue, Collection, CollectQueue, DelayedCollection, Place
from rewards.crm_orders import runs
from rewards.crm_rows import Row, csv_rows, json_rows, read_layout
from rewards.crm_text import Lines, Refused, encoding_of
from rewards.identifiers import identifier
from rewards.stagger import offset

FILE_BYTES = 1024 * 1024 * 1024
READ_BYTES = 256 * 1024
READERS_MAX = 10
"""With the looks at the shops and their folders before it, the chain still ends well before Lambda would cut it."""


class FileRead(Struct, frozen=True):
    """The file was read to its end, or is `refused`: it could not be read, or not any further."""

    counts: Counts
    refused: bool = False


class SentOn(Struct, frozen=True):
    """Time ran out: another reader goes on."""


class FileReplaced(Struct, frozen=True):
    """Another version lies there by now; the next run takes that."""


def send_shops(files: Files, collectors: CollectQueue, *, spread: timedelta) -> list[str]:
    """Send each shop to be looked through, at its own second of the `spread` to come, which SQS has 15 minutes for."""
    found, seconds = shops(files), max(1, int(spread.total_seconds()))
    collectors.send([DelayedCollection(Collection(shop), timedelta(seconds=offset(shop, seconds))) for shop in found])
    return found


def send_files(shop: str, files: Files, collectors: CollectQueue) -> list[str]:
    """Send each file of a shop that is to be read; their keys."""
    found = list(uncovered(shop, files))
    collectors.send([DelayedCollection(Collection(shop, file)) for file in found])
    return [file.key for file in found]


def read(
    shop: str,
    file: CrmFile,
    place: Place | None,
    files: Files,
    batches: BatchQueue,
    collectors: CollectQueue,
    *,
    out_of_time: Callable[[], bool],
    chunk_rows: int = CHUNK_ROWS,
) -> FileRead | SentOn | FileReplaced:
    """Read a file on from `place`: send its orders to be matched, lay aside what is damaged, and at its end sum up.

    At least one chunk is read, so that every reader advances. All readers of a file must cut it alike.
    """
    counts = Counts()
    try:
        place = place or _begin(file, files)
        counts = place.counts
        with closing(files.open(file, place.start)) as content:
            for chunk in chunks(file, runs(_rows(content, place)), chunk_rows):
                batches.send([Batch(identifier(shop, "shop"), file.key, orders) for orders in batches_of(chunk.orders)])
                if chunk.rejects:
                    files.write_rejects(f"{file.rejects_folder}{chunk.rejects[0].line:09}.jsonl", chunk.rejects)
                counts += chunk.counts
                if chunk.after and out_of_time():
                    rest = _further(place, chunk.after, counts)
                    collectors.send([DelayedCollection(Collection(shop, file, rest))])
                    return SentOn()
    except Replaced:
        return FileReplaced()
    except Refused as refused:
        files.write_summary(file, _summary(file, counts, refused))
        return FileRead(counts, refused=True)
    files.write_summary(file, _summary(file, counts))
    return FileRead(counts)


def _begin(file: CrmFile, files: Files) -> Place:
    """Where the rows of a file begin. Nothing of it goes on before the whole of it is known to be text."""
    is_csv = file.key.lower().endswith(".csv")
    if not is_csv and not file.key.lower().endswith(".jsonl"):
        raise Refused("is neither .csv nor .jsonl")
    if file.size > FILE_BYTES:
        raise Refused(f"is {file.size:,} bytes long, more than {FILE_BYTES:,}: send it in parts")
    with closing(files.open(file, 0)) as content:
        encoding = encoding_of(iter(partial(content.read, READ_BYTES), b""))
    if not is_csv:
        return Place(encoding)
    with closing(files.open(file, 0)) as content:
        lines = Lines(content, encoding)
        layout = read_layout(lines)
        return Place(encoding, layout, lines.start, lines.number)


def _further(place: Place, after: Row, counts: Counts) -> Place:
    if place.readers == READERS_MAX:
        raise Refused(f"is not read through by {READERS_MAX} readers: send it in parts")
    return replace(place, start=after.start, line=after.line - 1, counts=counts, readers=place.readers + 1)


def _rows(content: BufferedReader, place: Place) -> Iterator[Row]:
    lines = Lines(content, place.encoding, start=place.start, number=place.line)
    return csv_rows(lines, place.layout) if place.layout else json_rows(lines)


def _summary(file: CrmFile, counts: Counts, refused: Refused | None = None) -> Summary:
    return Summary(
        file=file.key,
        etag=file.etag,
        read=counts.read,
        accepted=counts.accepted,
        skipped=counts.skipped,
        rejected=counts.rejected,
        rejects=file.rejects_folder if counts.rejected else None,
        refused=str(refused) if refused else None,
    )
