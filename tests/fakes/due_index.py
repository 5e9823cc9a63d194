"""The due index of a ledger in memory: what DynamoDB would have projected from its rows."""

from collections.abc import Iterator

from rewards import due
from rewards.packing import FoundRow
from rewards.tasks import ShardWindow
from tests.fakes.ledger import MemoryLedger

ROWS_AT_ONCE = 3


class MemoryDueIndex:
    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger

    def parts(self, window: ShardWindow) -> Iterator[list[FoundRow]]:
        partition = due.partition(window.kind, window.date, window.shard)
        standing = sorted(
            FoundRow(row.due.sort, row.reward_type)
            for row in self._ledger.rows.values()
            if row.due and row.due.partition == partition
        )
        rows = [row for row in standing if window.start <= row.sort <= window.end and row.sort > (window.after or "")]
        return (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))
