"""How much memory and time it takes to read a shop's file, whatever its length.

    python -m bench.importing

Each line is a process of its own with all that the function has loaded; the file is read from disk as it would be from
S3, and the batches are counted instead of sent.
"""

import resource
import subprocess
import sys
import tempfile
import time
from io import BufferedReader
from pathlib import Path

import msgspec

import steps.collect  # noqa: F401 - what the function loads takes memory too
from rewards.collecting import read
from rewards.crm_files import CrmFile, Summary
from rewards.crm_messages import Batch, DelayedCollection
from rewards.crm_orders import Reject
from rewards.crm_rows import REQUIRED

FORMATS = {"utf-8 .csv": "utf-8", "cp950 .csv": "cp950", "utf-8 .jsonl": "utf-8"}
ROWS = (1_000, 100_000, 1_000_000)
COLUMNS = (*REQUIRED, "門市")
DAMAGED_EVERY = 1_000


class Result(msgspec.Struct):
    """What one process took: megabytes at its peak, seconds, and what it sent."""

    megabytes: float
    seconds: float
    batches: int
    accepted: int
    rejected: int


class FileOnDisk:
    """The bucket, in which one file lies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.summaries: list[Summary] = []

    def folders(self, prefix: str) -> list[str]:
        raise NotImplementedError(prefix)

    def files(self, folder: str) -> list[CrmFile]:
        raise NotImplementedError(folder)

    def summary(self, file: CrmFile) -> Summary | None:
        raise NotImplementedError(file)

    def open(self, file: CrmFile, start: int) -> BufferedReader:  # noqa: ARG002 - there is but one
        content = self._path.open("rb")
        content.seek(start)
        return content

    def write_summary(self, file: CrmFile, summary: Summary) -> None:  # noqa: ARG002
        self.summaries.append(summary)

    def write_rejects(self, key: str, rejects: list[Reject]) -> None:
        """Nobody reads them."""


class Counted:
    """A queue that counts what it is sent, encoded as it would be."""

    def __init__(self) -> None:
        self.sent = 0

    def send(self, messages: list[Batch] | list[DelayedCollection]) -> None:
        self.sent += len([msgspec.json.encode(message) for message in messages])


def main() -> None:
    print(
        f"{'':14}{'rows':>10}{'file MB':>9}{'peak MB':>9}{'seconds':>9}{'batches':>9}{'accepted':>10}{'rejected':>10}"
    )
    for kind in FORMATS:
        for rows in ROWS:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, kind.replace(" ", ""))
                write(path, kind, rows)
                command = [sys.executable, "-m", "bench.importing", str(path)]
                done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - this very file
                result = msgspec.json.decode(done.stdout, type=Result)
                print(
                    f"{kind:14}{rows:10,}{path.stat().st_size / 1e6:9.1f}{result.megabytes:9.0f}{result.seconds:9.1f}"
                    f"{result.batches:9,}{result.accepted:10,}{result.rejected:10,}"
                )


def write(path: Path, kind: str, rows: int) -> None:
    """Orders of two rows; now and then one is damaged, and its order is set aside with it."""
    with path.open("w", encoding=FORMATS[kind]) as file:
        if kind.endswith("csv"):
            file.write(",".join(COLUMNS) + "\n")
        for row in range(rows):
            quantity = "two" if row % DAMAGED_EVERY == 0 else "2"
            cells = [f"TG{row // 2:08}", f"L{row}", f"M{row // 2 % 9_999:07}", "2026-11-29T10:00:00+08:00", "paid",
                     f"烏龍茶-{row % 50}", quantity, "1360.00", "TWD", "許功蓋 一號店"]  # fmt: skip
            if kind.endswith("csv"):
                file.write(",".join(cells) + "\r\n")
            else:
                file.write(msgspec.json.encode(dict(zip(COLUMNS, cells, strict=True))).decode() + "\n")


def measure(path: Path) -> Result:
    files, batches = FileOnDisk(path), Counted()
    file = CrmFile(f"crm/1/2026-11-30/{path.name}", "etag", path.stat().st_size)
    began = time.perf_counter()
    read("1", file, None, files, batches, Counted(), out_of_time=lambda: False)
    seconds = time.perf_counter() - began
    (summary,) = files.summaries
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Result(peak, seconds, batches.sent, summary.accepted, summary.rejected)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        sys.stdout.write(msgspec.json.encode(measure(Path(sys.argv[1]))).decode())
