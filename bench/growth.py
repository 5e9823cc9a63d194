"""Whether a reward costs the same however many there are: booking, dispatch and grant, each size in a fresh process.

Run as `python -m bench.growth` in the project's folder. A million due rows are dispatched in bench/dispatch.py, from
canned pages; here every row is really booked and granted, and a million of them would take the embedded cloud hours.
"""

import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from bench.ours import Cpu, cpu_seconds
from bench.table import Measured, show

PART = "Cost of growth, processor time of a reward"
SIZES = (500, 2_000, 5_000)


class Grown(NamedTuple):
    cpu: Cpu
    peak_bytes: int


def measure() -> list[Measured]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as process:
        return [
            Measured(PART, f"{rewards:,} rewards", _told(process.submit(grown, rewards).result())) for rewards in SIZES
        ]


def grown(rewards: int) -> Grown:
    cpu = cpu_seconds(rewards)
    return Grown(cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def _told(grown: Grown) -> str:
    steps = (f"{step} {seconds * 1000:.3f} ms" for step, seconds in grown.cpu._asdict().items())
    return f"{', '.join(steps)}; peak memory {grown.peak_bytes / 1e6:.0f} MB"


if __name__ == "__main__":
    show(measure())
