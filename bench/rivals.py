"""The same job by what a team would pick instead: Celery with an ETA on Redis, and Procrastinate on PostgreSQL.

Run as `python -m bench.rivals [REWARDS]` in the project's folder. They are installed into an environment of their own;
what they do, and how they are set up, is in bench/rival_jobs/. One run each is measured undisturbed, and in another,
with fewer rewards, three workers are killed on the way. Only the clients' processor time counts, not the servers'.
"""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from bench import ours, rival_servers
from bench.rival_servers import Server, Unavailable
from bench.table import Measured, progress, show

PART = "The same job by what a team would pick instead"
REWARDS, REWARDS_WITH_KILLS, KILLS = 100_000, 10_000, 3
SHARE_MOST = 0.5
ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".cache"
REQUIREMENTS = ROOT / "bench" / "requirements.txt"


class Rival(NamedTuple):
    """`ahead` is how many seconds before the rewards are due, for each of them, scheduling begins."""

    name: str
    store: str
    job: str
    server: Callable[[], AbstractContextManager[Server]]
    ahead: float


CELERY = Rival("Celery", "Redis", "celery_job", rival_servers.redis, 0.0014)
PROCRASTINATE = Rival("Procrastinate", "PostgreSQL", "procrastinate_job", rival_servers.postgresql, 0.0003)
START_SECONDS = 10
"""Until the workers are up, however few the rewards."""

INVISIBLE_SECONDS = 3600
INVISIBLE_SECONDS_WITH_KILLS = 90
"""Longer than the rewards wait there, as Celery's manual asks: it is also how long lost work takes to come back."""


def measure(rewards: int = REWARDS) -> list[Measured]:
    mine = ours.cpu_seconds()
    try:
        python = installed()
    except Unavailable as error:
        return [Measured(PART, "Celery and Procrastinate: left out", str(error))]
    found: list[Measured] = []
    with ThreadPoolExecutor() as threads:
        alone = [attempt(python, rival, rewards, kills=0) for rival in (CELERY, PROCRASTINATE)]
        few = min(rewards, REWARDS_WITH_KILLS)
        killed = threads.map(lambda rival: attempt(python, rival, few, KILLS), (CELERY, PROCRASTINATE))
        for rival, first, second in zip((CELERY, PROCRASTINATE), alone, killed, strict=True):
            found += told(rival, first, second, mine)
    return found


def installed() -> Path:
    """The Python that has both libraries. Raises Unavailable where they cannot be installed."""
    folder = CACHE / "bench-venv"
    python, done = folder / "bin" / "python", folder / "installed.txt"
    if not (done.exists() and done.read_text() == REQUIREMENTS.read_text()):
        progress("Installing Celery and Procrastinate into .cache/bench-venv")
        venv.create(folder, with_pip=True, clear=True)
        pip: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--require-hashes",
            "--requirement",
            REQUIREMENTS,
        ]
        installing = subprocess.run(pip, capture_output=True, text=True)  # noqa: S603
        if installing.returncode:
            raise Unavailable(f"pip could not install them: {installing.stderr.strip()[-200:]}")
        done.write_text(REQUIREMENTS.read_text())
    return python


def attempt(python: Path, rival: Rival, rewards: int, kills: int) -> dict[str, Any] | str:
    """What a run found, or why there was none."""
    progress(f"{rival.name}: {rewards:,} rewards" + (f", {kills} workers killed" if kills else ""))
    try:
        with rival.server() as server:
            return run(python, rival, server, rewards, kills) | {"store": f"{rival.store} {server.version}"}
    except Unavailable as error:
        return str(error)


def run(python: Path, rival: Rival, server: Server, rewards: int, kills: int) -> dict[str, Any]:
    invisible = INVISIBLE_SECONDS_WITH_KILLS if kills else INVISIBLE_SECONDS
    ahead, log = START_SECONDS + rewards * rival.ahead, CACHE / f"bench-{rival.job}.log"
    told = [rival.job, str(rewards), str(ahead), str(kills), str(log)]
    command = [str(python), "-m", "bench.rival_jobs.race", *told]
    settings = {"PYTHONPATH": str(ROOT), "STORE_PORT": str(server.port), "INVISIBLE_SECONDS": str(invisible)}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE)  # noqa: S603
    if done.returncode:
        raise Unavailable(f"the run failed: its log is {log}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def told(rival: Rival, alone: dict[str, Any] | str, killed: dict[str, Any] | str, mine: ours.Cpu) -> Iterator[Measured]:
    if isinstance(alone, str):
        yield Measured(PART, f"{rival.name}: left out", alone)
        return
    name, rewards = rival.name, alone["rewards"]
    schedule, execute = (alone[f"{what}_cpu_seconds"] / rewards for what in ("schedule", "execute"))
    due = " (not all before they were due)" if alone["late"] else ""
    yield Measured(PART, f"{name}: versions", f"{alone['version']}, {alone['store']}")
    yield Measured(PART, f"{name}: settings", ", ".join(_settings(alone["settings"])))
    yield Measured(PART, f"{name}: time to schedule {rewards:,}", f"{alone['schedule_seconds']:.0f} s{due}")
    yield Measured(PART, f"{name}: all executed after they were due", f"{alone['seconds_after_due']:.0f} s")
    yield Measured(PART, f"{name}: CPU to schedule one", _millis(schedule))
    yield Measured(PART, f"{name}: CPU to execute one", _millis(execute))
    yield Measured(PART, f"{name}: peak memory of a worker's process", f"{alone['peak_bytes'] / 1e6:.0f} MB")
    yield _after_kills(name, killed)
    yield _against(f"ours: dispatch and grant, against {name} executing", mine.releasing, execute, SHARE_MOST)
    yield _against(f"ours: with booking, against {name} with scheduling", mine.all, schedule + execute)


def _after_kills(name: str, killed: dict[str, Any] | str) -> Measured:
    if isinstance(killed, str):
        return Measured(PART, f"{name}: with workers killed: left out", killed)
    what = f"{name}: {killed['rewards']:,} rewards, after {killed['kills']} × kill -9"
    figure = f"{killed['lost']} lost, {killed['doubled']} doubled; the last after {killed['seconds_after_due']:.0f} s"
    return Measured(PART, what, figure)


def _against(what: str, mine: float, theirs: float, most: float | None = None) -> Measured:
    figure = f"{_millis(mine)} of {_millis(theirs)}: {mine / theirs:.2f}"
    if most is None:
        return Measured(PART, what, figure)
    return Measured(PART, what, figure, f"≤ {most:g}", mine / theirs <= most)


def _settings(settings: dict[str, Any]) -> Iterator[str]:
    for name, value in settings.items():
        if not isinstance(value, dict):
            yield f"{name}={value}"


def _millis(seconds: float) -> str:
    return f"{seconds * 1000:.3f} ms"


def main(arguments: Sequence[str]) -> None:
    show(measure(*map(int, arguments)))


if __name__ == "__main__":
    main(sys.argv[1:])
