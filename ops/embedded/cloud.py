"""Starting, finding and stopping the embedded cloud.

One runs at a time for a data folder, in a room of its own in it: `cloud` for `rewards up`, `demo` for the demo.
The process holds a lock on the file that describes it for as long as it lives, so a description is believed only
while its lock is held: what we stop is always our own process, never one that happens to have its number or port.
A process that ends gently empties its description: one that is left over tells of a process that was killed.
"""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

from ops.trouble import Trouble

HOST = "127.0.0.1"
PORTS = range(4600, 4700)
REGION = "ap-northeast-1"
ACCOUNT = "000000000000"
CREDENTIALS = "test"
"""The root's key and secret, who may do anything."""

START_SECONDS = 30
STOP_SECONDS = 60


@dataclass(frozen=True)
class EmbeddedCloud:
    """A cloud that runs: its room in the data folder, its process, and where it listens."""

    room: str
    pid: int
    port: int

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}"


def running(data: Path) -> EmbeddedCloud | None:
    """The cloud that runs for this data folder, if one does."""
    text = _believed(data)
    if text is None:
        return None
    try:
        return EmbeddedCloud(**json.loads(text))
    except (ValueError, TypeError):
        raise Trouble("The embedded cloud is being started or stopped: try again in a moment.") from None


def was_killed(data: Path, room: str) -> bool:
    """Whether the last cloud of this room ended without saving what it held. Asked while none runs."""
    try:
        return bool(json.loads(_description(data).read_text())["room"] == room)
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return False


@contextmanager
def alone(data: Path) -> Iterator[None]:
    """Let one command at a time start a cloud and deploy to it: two would deploy over each other."""
    data.mkdir(parents=True, exist_ok=True)
    with (data / "deploying.lock").open("a") as file:
        if not _lock(file, fcntl.LOCK_EX):
            raise Trouble(
                "Another `rewards up` or `rewards demo` is at work on this data folder: wait until it is done."
            )
        yield


def start(data: Path, room: str, *, ports: Iterable[int] = PORTS) -> EmbeddedCloud:
    """Start a cloud on what its room holds from the last time, a new one on the first of the `ports` that is free."""
    folder = data / room
    data.mkdir(parents=True, exist_ok=True)
    with _description(data).open("a+") as description:
        _take(description)
        for part in ("state", "objects", "temporary"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        with _listen(folder, ports) as listener, (folder / "cloud.log").open("w") as log:
            port = listener.getsockname()[1]
            process = subprocess.Popen(
                [sys.executable, "-m", "ops.embedded.server"],
                env={**_environment(folder, port, listener), "DESCRIPTION": str(description.fileno())},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(listener.fileno(), description.fileno()),  # the lock goes on living with the process
                start_new_session=True,
            )
        cloud = EmbeddedCloud(room, process.pid, port)
        json.dump(asdict(cloud), description)
    _wait_until_healthy(cloud, process, folder / "cloud.log")
    process.returncode = 0  # it outlives this command, which is no reason for Python to warn
    return cloud


def stop(data: Path, cloud: EmbeddedCloud, *, ask: Callable[[int, int], None] = os.kill) -> None:
    """Ask the process to end, which makes it save its state, and wait until it has."""
    with suppress(ProcessLookupError):  # it has ended by itself meanwhile
        ask(cloud.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while _believed(data) in ("", json.dumps(asdict(cloud))):
        if time.monotonic() > deadline:
            raise Trouble(f"The embedded cloud (process {cloud.pid}) was asked to stop and still runs.")
        time.sleep(0.05)


def empty(data: Path, room: str) -> None:
    """Forget everything that was kept in a room."""
    shutil.rmtree(data / room, ignore_errors=True)


def _description(data: Path) -> Path:
    return data / "running.json"


def _believed(data: Path) -> str | None:
    """The description, if its lock is held; two who look at once may share the lock, and are no cloud."""
    try:
        description = _description(data).open()
    except FileNotFoundError:
        return None
    with description:
        return None if _lock(description, fcntl.LOCK_SH) else description.read()


def _take(description: IO[str]) -> None:
    """Lock the description for a new process, and not before the old one is gone from it.

    While the lock is shared no process has it to itself, so nobody believes what is being emptied.
    """
    if _lock(description, fcntl.LOCK_SH):
        description.truncate(0)
        if _lock(description, fcntl.LOCK_EX):
            return
    raise Trouble("An embedded cloud runs already for this data folder, or is being started.")


def _lock(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _listen(folder: Path, ports: Iterable[int]) -> socket.socket:
    """The socket the cloud will answer on.

    Stored state names the port (queues have it in their address), so a room keeps the port it began with.
    """
    kept = folder / "port"
    tried = [int(kept.read_text())] if kept.exists() else list(ports)
    for port in tried:
        try:
            listener = socket.create_server((HOST, port), backlog=512)
        except OSError:
            continue
        kept.write_text(str(port))
        return listener
    if kept.exists():
        raise Trouble(
            f"Port {kept.read_text()}, which the data in {folder} was made on, is taken by another program. "
            "Stop that program; or delete the folder, to begin anew on another port."
        )
    raise Trouble(f"The ports {tried[0]} to {tried[-1]} are all taken by other programs.")


def _environment(folder: Path, port: int, listener: socket.socket) -> dict[str, str]:
    """MiniStack's settings, without those of the caller's AWS account."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return inherited | {
        "LISTENING_SOCKET": str(listener.fileno()),
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": HOST,
        "MINISTACK_REGION": REGION,
        "AUTH": "true",  # a function may do what its role allows, and nothing else
        "PERSIST_STATE": "1",
        "STATE_DIR": str(folder / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(folder / "objects"),
        "TMPDIR": str(folder / "temporary"),
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
    }


def _wait_until_healthy(cloud: EmbeddedCloud, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{cloud.endpoint}/_ministack/ready", timeout=1):  # noqa: S310  # always http, always here
                return
        except (URLError, OSError):
            time.sleep(0.05)
    process.terminate()
    raise Trouble(f"The embedded cloud did not start; its log is {log}.")
