"""Rows as a till writes them, and what is read of them."""

import json
from collections.abc import Sequence
from decimal import Decimal
from io import BufferedReader, BytesIO
from typing import Any

from rewards.collecting import read
from rewards.crm_chunks import CHUNK_ROWS
from rewards.crm_files import CrmFile, Summary
from rewards.crm_messages import Batch, Collection, DelayedCollection
from rewards.crm_orders import CrmOrder, CrmReturn, Reject
from rewards.crm_text import Encoding, Lines
from rewards.order import Line
from tests.builders import ORDERED_AT
from tests.fakes.crm_files import MemoryFiles
from tests.fakes.queues import MemoryQueue

HEADER = "order_group,line,member_id,ordered_at,status,sku,quantity,amount,currency,return_id"
KEY = "crm/1/2026-11-30/till.csv"


def a_row(order_group: str = "TG1", line: str = "L1", **cells: object) -> str:
    """One row of CSV: a line of 1,000 that member M1 paid at noon of 3 November 2026 in Taipei."""
    ordinary = {
        "order_group": order_group,
        "line": line,
        "member_id": "M1",
        "ordered_at": "2026-11-03T12:00:00+08:00",
        "status": "paid",
        "sku": f"SKU-{line}",
        "quantity": 1,
        "amount": "1000",
        "currency": "TWD",
        "return_id": "",
    }
    return ",".join(str((ordinary | cells)[name]) for name in HEADER.split(","))


def a_file(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows, ""]).encode()


def a_json_row(**cells: object) -> str:
    ordinary = dict(zip(HEADER.split(","), a_row().split(","), strict=True))
    return json.dumps(ordinary | cells)


def a_crm_order(*lines: Line, returns: Sequence[CrmReturn] = (), **fields: Any) -> CrmOrder:
    """The ordinary order, as a till tells it."""
    ordinary = {
        "order_group": "TG20193021",
        "member_id": "M1",
        "source": "Others",
        "currency": "TWD",
        "ordered_at": ORDERED_AT,
    }
    return CrmOrder(**ordinary | fields, lines=lines, returns=tuple(returns))


def a_crm_return(line: str = "L1", amount: str | int = "1000", *, quantity: int = 1, **fields: Any) -> CrmReturn:
    return CrmReturn(line, quantity, Decimal(amount), ORDERED_AT, **fields)


def lines_of(content: bytes, encoding: Encoding = "utf-8", **place: int) -> Lines:
    return Lines(BufferedReader(BytesIO(content)), encoding, **place)


class Import:
    """Files of shop 1, read to their end however often the time runs out on the way."""

    def __init__(self, *, chunks_in_time: int = 1_000_000, chunk_rows: int = CHUNK_ROWS) -> None:
        self.files = MemoryFiles()
        self.batches = MemoryQueue[Batch]()
        self._collectors = MemoryQueue[DelayedCollection]()
        self._chunks_in_time = chunks_in_time
        self._chunk_rows = chunk_rows
        self.readers = 0

    def read(self, content: bytes, key: str = KEY) -> Summary:
        file = self.files.put(key, content)
        self._collectors.send([DelayedCollection(Collection("1", file))])
        while waiting := self._collectors.take():
            for collection, _ in waiting:
                self._read_on(collection)
        return self.files.summaries[file.summary_key]

    def _read_on(self, told: Collection) -> None:
        assert isinstance(told.file, CrmFile)
        self.readers += 1
        left = self._chunks_in_time

        def out_of_time() -> bool:
            nonlocal left
            left -= 1
            return left <= 0

        read(
            "1", told.file, told.place, self.files, self.batches, self._collectors,
            out_of_time=out_of_time, chunk_rows=self._chunk_rows,
        )  # fmt: skip

    @property
    def orders(self) -> list[CrmOrder]:
        return [order for batch in self.batches.waiting for order in batch.orders]

    @property
    def rejects(self) -> list[Reject]:
        return [reject for _, rejects in sorted(self.files.rejects.items()) for reject in rejects]
