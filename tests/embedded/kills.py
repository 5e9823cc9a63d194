"""Processes of functions that die in the middle of a call, from one moment to the next, as by `kill -9`.

A process is struck only while it is at work: it has spoken to the cloud, and used the processor a moment ago; one that
waits to be called does not. What the cloud says of it afterwards is the proof: it tells of every call that died.
"""

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from ops.embedded import cloud

PROC = Path("/proc")
CAN_BE_SEEN = (PROC / "self" / "schedstat").exists()
"""Whether this machine tells who is at work: Linux does."""

BETWEEN_KILLS_SECONDS = 1
A_MOMENT_SECONDS = 0.03
DIED_IN_HAND = re.compile(r"Lambda (\S+) failed processing (?:SQS|DynamoDB stream) batch .*=Worker process died")


@contextmanager
def kills(data: Path, most: int) -> Iterator[Counter[str]]:
    """At most so many kills while this is open; the steps that were struck, and how often."""
    killed: Counter[str] = Counter()
    over = Event()
    killer = Thread(target=_kill, args=(data, most, killed, over))
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()


def died_in_hand(data: Path) -> Counter[str]:
    """The batches that died with their function since the cloud began, by function."""
    return Counter(DIED_IN_HAND.findall((data / "cloud" / "cloud.log").read_text()))


def _kill(data: Path, most: int, killed: Counter[str], over: Event) -> None:
    """Strike the step that was struck least. None is struck twice running: what works alone must get through once."""
    running = cloud.running(data)
    assert running
    last = ""
    while killed.total() < most and not over.wait(BETWEEN_KILLS_SECONDS):
        at_work = {process: _step(process) for process in _at_work(running.pid)}
        victims = [process for process, step in at_work.items() if step != last]
        last = ""
        if victims:
            victim = min(victims, key=lambda process: killed[at_work[process]])
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                last = at_work[victim]
                killed[last] += 1


def _at_work(parent: int) -> list[int]:
    before = {process: _used(process) for process in _functions(parent) if _has_spoken(process)}
    time.sleep(A_MOMENT_SECONDS)
    return [process for process, used in before.items() if _used(process) > used]


def _functions(parent: int) -> list[int]:
    told = (_read(children) for children in (PROC / f"{parent}/task").glob("*/children"))
    return [int(process) for children in told for process in children.split() if _step(int(process))]


def _step(process: int) -> str:
    """The step that the process runs; none, if it is of another kind or gone."""
    named = re.search(r"\bPOWERTOOLS_SERVICE_NAME=(\w+)", _read(PROC / f"{process}/environ"))
    return named[1] if named else ""


def _has_spoken(process: int) -> bool:
    try:
        return any(os.readlink(file).startswith("socket:") for file in (PROC / f"{process}/fd").iterdir())
    except OSError:  # it is gone
        return False


def _used(process: int) -> int:
    """Nanoseconds on the processor so far."""
    return int((_read(PROC / f"{process}/schedstat") or "0").split()[0])


def _read(file: Path) -> str:
    """Nothing, of a process that is gone."""
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
