"""One run: rewards are scheduled for one instant, workers grant them, and some of the workers are killed on the way.

    python -m bench.rival_jobs.race celery_job REWARDS AHEAD_SECONDS KILLS LOG

Says on its standard output, as JSON, what it took and what became of every reward; the workers write to the file LOG.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO

import psutil

LOOK_SECONDS = 0.25


class Workers:
    """The processes of one job's workers: what they use is looked at four times a second."""

    def __init__(self, job: ModuleType, log: IO[bytes]) -> None:
        self._job = job
        self._log = log
        self._started = 0
        self._running: list[subprocess.Popen[bytes]] = []
        self._cpu_seconds: dict[int, float] = {}
        self.peak_bytes = 0

    @property
    def cpu_seconds(self) -> float:
        return sum(self._cpu_seconds.values())

    def start(self) -> None:
        self._started += 1
        command = self._job.worker(f"worker-{self._started}")
        self._running.append(subprocess.Popen(command, stdout=self._log, stderr=self._log))  # noqa: S603

    def look(self) -> None:
        if any(each.poll() is not None for each in self._running):
            raise RuntimeError("a worker ended by itself; its log says why")
        for process in self._processes():
            try:
                times, memory = process.cpu_times(), process.memory_info()
            except psutil.NoSuchProcess:
                continue
            self._cpu_seconds[process.pid] = times.user + times.system
            self.peak_bytes = max(self.peak_bytes, memory.rss)

    def kill_the_oldest(self) -> None:
        """`kill -9`, of it and its children, as when its machine goes; another one takes its place at once."""
        self._end(self._running.pop(0))
        self.start()

    def end(self) -> None:
        while self._running:
            self._end(self._running.pop())

    def _processes(self) -> Iterator[psutil.Process]:
        for each in self._running:
            yield from _tree(each.pid)

    def _end(self, worker: subprocess.Popen[bytes]) -> None:
        for process in _tree(worker.pid):
            process.kill()
        worker.wait()


def run(job: ModuleType, rewards: int, ahead_seconds: float, kills: int, log: IO[bytes]) -> dict[str, object]:
    job.prepare()
    due = datetime.now(UTC) + timedelta(seconds=ahead_seconds)
    with workers_of(job, max(job.WORKERS, kills + 1), log) as workers:
        began, cpu = time.monotonic(), time.process_time()
        job.schedule(rewards, due)
        schedule_seconds, schedule_cpu_seconds = time.monotonic() - began, time.process_time() - cpu
        say(f"{rewards} scheduled in {schedule_seconds:.0f} s")
        late = datetime.now(UTC) > due
        watch(job, workers, rewards, kills, patience_seconds=ahead_seconds + 2 * job.STALLED_SECONDS)
        return {
            "version": job.VERSION,
            "rewards": rewards,
            "kills": kills,
            "late": late,
            "schedule_seconds": schedule_seconds,
            "schedule_cpu_seconds": schedule_cpu_seconds,
            "execute_cpu_seconds": workers.cpu_seconds,
            "seconds_after_due": (datetime.now(UTC) - due).total_seconds(),
            "peak_bytes": workers.peak_bytes,
            "lost": rewards - job.granted(),
            "doubled": job.doubled(),
            "settings": job.SETTINGS,
        }


def watch(job: ModuleType, workers: Workers, rewards: int, kills: int, *, patience_seconds: float) -> None:
    """Until nothing waits any more, or nothing has been granted for longer than what stalled takes to come back."""
    killed, before, changed = 0, 0, time.monotonic()
    while job.waiting() and time.monotonic() - changed < patience_seconds:
        time.sleep(LOOK_SECONDS)
        workers.look()
        granted = job.granted()
        if granted != before:
            before, changed = granted, time.monotonic()
        if killed < kills and granted > rewards * (killed + 1) / (kills + 2):
            workers.kill_the_oldest()
            killed += 1
            say(f"worker killed after {granted} rewards")
    workers.look()


@contextmanager
def workers_of(job: ModuleType, number: int, log: IO[bytes]) -> Iterator[Workers]:
    workers = Workers(job, log)
    try:
        for _ in range(number):
            workers.start()
        yield workers
    finally:
        workers.end()


def say(line: str) -> None:
    print(f"    {line}", file=sys.stderr, flush=True)


def _tree(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


if __name__ == "__main__":
    name, rewards, ahead_seconds, kills, log = sys.argv[1:]
    with Path(log).open("wb") as file:
        job = import_module(f"bench.rival_jobs.{name}")
        result = run(job, int(rewards), float(ahead_seconds), int(kills), file)
    print(json.dumps(result), flush=True)
    os._exit(0)  # neither library's threads are waited for
