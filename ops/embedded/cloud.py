"""Starting, finding and stopping the embedded cloud.

One runs at a time for a data folder, in a room of its own in it: `cloud` for `rewards up`, `demo` for the demo.
The process holds a lock on the file that describes it for as long as it lives, so a description is believed only
while its lock is held: what we stop is always our own process, never one that happens to have its number or port.
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
CREDENTIALS = "embedded"
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
    try:
        description = _description(data).open("r+")
    except FileNotFoundError:
        return None
    with description:
        return None if _lock(description) else EmbeddedCloud(**json.load(description))


def start(data: Path, room: str) -> EmbeddedCloud:
    """Start a cloud on what its room holds from the last time."""
    folder = data / room
    data.mkdir(parents=True, exist_ok=True)
    with _description(data).open("a+") as description:
        if not _lock(description):
            raise Trouble("An embedded cloud runs already for this data folder, or is being started.")
        for part in ("state", "objects", "temporary"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        with _listen(folder) as listener, (folder / "cloud.log").open("w") as log:
            port = listener.getsockname()[1]
            process = subprocess.Popen(
                [sys.executable, "-m", "ops.embedded.server"],
                env=_environment(folder, port, listener),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(listener.fileno(), description.fileno()),  # the lock goes on living with the process
                start_new_session=True,
            )
        cloud = EmbeddedCloud(room, process.pid, port)
        description.truncate(0)
        json.dump(asdict(cloud), description)
    _wait_until_healthy(cloud, process, folder / "cloud.log")
    process.returncode = 0  # it outlives this command, which is no reason for Python to warn
    return cloud


def stop(data: Path, cloud: EmbeddedCloud) -> None:
    """Ask the process to end, which makes it save its state, and wait until it has."""
    os.kill(cloud.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while running(data) == cloud:
        if time.monotonic() > deadline:
            raise Trouble(f"The embedded cloud (process {cloud.pid}) was asked to stop and still runs.")
        time.sleep(0.05)


def empty(data: Path, room: str) -> None:
    """Forget everything that was kept in a room."""
    shutil.rmtree(data / room, ignore_errors=True)


def _description(data: Path) -> Path:
    return data / "running.json"


def _lock(description: IO[str]) -> bool:
    try:
        fcntl.flock(description, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _listen(folder: Path) -> socket.socket:
    """The socket the cloud will answer on.

    Stored state names the port (queues have it in their address), so a room keeps the port it began with.
    """
    kept = folder / "port"
    ports = [int(kept.read_text())] if kept.exists() else PORTS
    for port in ports:
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
    raise Trouble(f"The ports {PORTS.start} to {PORTS.stop - 1} are all taken by other programs.")


def _environment(folder: Path, port: int, listener: socket.socket) -> dict[str, str]:
    """MiniStack's settings, without those of the caller's AWS account."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return inherited | {
        "LISTENING_SOCKET": str(listener.fileno()),
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": HOST,
        "MINISTACK_REGION": REGION,
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
