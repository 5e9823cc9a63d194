"""Dispatch of an hour's due rows: ours, the source system's way, the honest rival, and the decode loop as the limit.

    python -m bench.dispatch

AWS is `bench.stub`, in a process of its own; each way runs in a fresh one. A way that takes minutes at a million rows
is measured with fewer: its cost per row is flat, as two sizes of it show.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple
from urllib.request import urlopen

import msgspec

from bench.dispatch_ways import Cost
from bench.table import Measured, progress, show

PART = "Dispatch of due rows"
MILLION, RUNS = 1_000_000, 3
SIZES = {"ours": (10_000, 100_000), "source": (1_000, 10_000), "batches": (10_000, 100_000)}
NAMES = {
    "ours": "ours",
    "source": "the source system's way: collect all, an S3 object and a send for each group",
    "batches": "the honest rival: collect all, batches of ten, no S3",
}


class Run(NamedTuple):
    """One process's dispatch of so many rows, and the calls it made."""

    rows: int
    cost: Cost
    calls: dict[str, int]

    @property
    def speed(self) -> float:
        """Rows a second of one core."""
        return self.rows / self.cost.cpu_seconds


class Stub:
    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"

    def run(self, way: str, rows: int) -> Run:
        progress(f"dispatch: {way}, {rows:,} rows")
        self._calls()
        environment = os.environ | {
            "AWS_ENDPOINT_URL": self._url,
            "AWS_DEFAULT_REGION": "ap-northeast-1",
            "AWS_ACCESS_KEY_ID": "bench",
            "AWS_SECRET_ACCESS_KEY": "bench",
            "POWERTOOLS_SERVICE_NAME": "bench",
        }
        command = [sys.executable, "-m", "bench.dispatch_ways", way, str(rows)]
        told = subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603 - our own
        return Run(rows, msgspec.json.decode(told.stdout, type=Cost), self._calls())

    def _calls(self) -> dict[str, int]:
        """What was called since they were last asked for."""
        with urlopen(self._url) as answer:  # noqa: S310 - our own
            return msgspec.json.decode(answer.read(), type=dict[str, int])


@contextmanager
def a_stub() -> Iterator[Stub]:
    command = [sys.executable, "-m", "bench.stub", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
    try:
        assert process.stdout  # noqa: S101 - it is a pipe
        yield Stub(int(process.stdout.readline()))
    finally:
        process.terminate()
        process.wait()


def measure() -> list[Measured]:
    with a_stub() as stub:
        runs = {way: [stub.run(way, rows) for rows in sizes] for way, sizes in SIZES.items()}
        whole: dict[str, list[Run]] = {"ours": [], "packing": [], "decoding": []}
        for _ in range(RUNS):  # in turn, so that a busy moment of the machine meets all of them
            for way, found in whole.items():
                found.append(stub.run(way, MILLION))
    typical = {way: sorted(found, key=lambda run: run.speed)[RUNS // 2] for way, found in whole.items()}
    ours = typical["ours"]
    shown = [*runs["ours"], ours, *runs["source"], *runs["batches"]]
    names = [*[NAMES["ours"]] * 3, *[NAMES["source"]] * 2, *[NAMES["batches"]] * 2]
    share = median(
        packing.speed / decoding.speed for packing, decoding in zip(whole["packing"], whole["decoding"], strict=True)
    )
    sends, growth = ours.calls["sendmessagebatch"], ours.cost.peak_mib - runs["ours"][0].cost.peak_mib
    return [
        *(Measured(PART, f"{run.rows:,} rows, {name}", _told(run)) for run, name in zip(shown, names, strict=True)),
        Measured(PART, f"{MILLION:,} rows read, grouped, encoded, not sent", _told(typical["packing"])),
        Measured(PART, f"{MILLION:,} rows read only, the limit", _told(typical["decoding"])),
        _times("against the source system's way", ours, runs["source"][-1], 150),
        _times("against the honest rival", ours, runs["batches"][-1], 12),
        Measured(
            PART,
            f"read, grouped, encoded: of the limit, median of {RUNS} pairs",
            f"{share:.0%}",
            "50 % at least",
            share >= 0.5,
        ),
        Measured(PART, "sends for a million rows", f"{sends:,}", "5,000 at most", sends <= 5_000),
        Measured(
            PART, "memory, a million rows over 10,000", f"{growth:+.1f} MiB", "+4 MB at most", growth <= 4 / 1.048576
        ),
    ]


def _told(run: Run) -> str:
    return (
        f"{run.speed:,.0f} rows/s of a core, {run.cost.cpu_seconds / run.rows * 1e6:.1f} µs a row, "
        f"peak {run.cost.peak_mib:.0f} MiB, {sum(run.calls.values()):,} calls"
    )


def _times(what: str, ours: Run, other: Run, bar: int) -> Measured:
    times = ours.speed / other.speed
    return Measured(PART, what, f"{times:.0f} × (its {other.rows:,} rows)", f"{bar} × at least", times >= bar)


if __name__ == "__main__":
    show(measure())
