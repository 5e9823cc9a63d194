"""Redis and PostgreSQL from Debian's packages, on free ports in temporary folders, and stopped afterwards.

What is not installed is downloaded and unpacked into .cache/, so that nothing on the machine changes.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

CACHE = Path(__file__).parent.parent / ".cache" / "bench-servers"
START_SECONDS = 30
DURABLE = ("--save", "", "--appendonly", "yes")
"""Redis keeps what it was told on disk: its own default would lose minutes of rewards with the machine."""


class Unavailable(Exception):
    """A server is not installed and could not be unpacked: this part is left out, and says why."""


class Server(NamedTuple):
    version: str
    port: int


class Package(NamedTuple):
    """Where a Debian package's programs are, and what they need to find their libraries."""

    programs: Path
    environment: Mapping[str, str]

    def run(self, program: str, *arguments: str | Path, user: str | None = None) -> str:
        command = [self.programs / program, *arguments]
        done = subprocess.run(command, env=self.environment, user=user, cwd="/", capture_output=True, text=True)  # noqa: S603
        if done.returncode:
            raise Unavailable(f"{program} failed: {(done.stderr or done.stdout).strip()[-200:]}")
        return done.stdout.strip()


@contextmanager
def redis() -> Iterator[Server]:
    package = _package("redis-server", "redis-server")
    with tempfile.TemporaryDirectory(prefix="bench-redis-") as folder:
        port = _free_port()
        options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", folder, *DURABLE]
        with _running(package, "redis-server", *options, until=_answers(port)):
            yield Server(package.run("redis-server", "--version").split()[2].removeprefix("v="), port)


@contextmanager
def postgresql() -> Iterator[Server]:
    """With its defaults; it refuses to run as root, so there it runs as `nobody`."""
    package = _package("postgresql", "postgres")
    user = "nobody" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="bench-postgresql-") as folder:
        if user:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        port, data = _free_port(), Path(folder) / "data"
        package.run("initdb", "-D", data, "--username=bench", "--auth=trust", user=user)
        options = ["-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", folder]
        with _running(package, "postgres", *options, until=_answers(port), user=user):
            yield Server(package.run("postgres", "--version").split()[2], port)


@contextmanager
def _running(
    package: Package, program: str, *arguments: str, until: Callable[[], bool], user: str | None = None
) -> Iterator[None]:
    command: list[str | Path] = [package.programs / program, *arguments]
    server = subprocess.Popen(  # noqa: S603
        command, env=package.environment, user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not until():
            if server.poll() is not None or time.monotonic() > deadline:
                raise Unavailable(f"{program} did not start")
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def _package(name: str, program: str) -> Package:
    """What is installed, or else unpacked here."""
    postgresql = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in (*map(Path, os.get_exec_path()), *postgresql):
        if (found := folder / program).exists():
            return Package(found.resolve().parent, os.environ)
    return _unpacked(name, program)


def _unpacked(name: str, program: str) -> Package:
    root = CACHE / name
    if not (found := sorted(root.rglob(f"bin/{program}"))):
        _unpack(name, root)
        found = sorted(root.rglob(f"bin/{program}"))
    if not found:
        raise Unavailable(f"Debian's {name} has no {program}")
    libraries = {str(library.parent) for library in root.rglob("*.so*")}
    return Package(found[-1].parent, {**os.environ, "LD_LIBRARY_PATH": ":".join(sorted(libraries))})


def _unpack(name: str, root: Path) -> None:
    """Download `name` and what it depends on and is not installed, as anybody may, and unpack it under `root`."""
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise Unavailable(f"{name} is not installed, and there is no apt-get to download it with")
    only = [f"--no-{kind}" for kind in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
    told = _output("apt-cache", "depends", "--recurse", *only, name)
    needed = {line for line in told.splitlines() if line and not line.startswith((" ", "<"))}
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as folder:
        _output("apt-get", "download", *sorted(needed - _installed()), cwd=folder)
        for archive in Path(folder).glob("*.deb"):
            _output("dpkg", "--extract", str(archive), str(root))


def _installed() -> set[str]:
    told = _output("dpkg-query", "--show", "--showformat=${binary:Package}\t${db:Status-Status}\n")
    pairs = (line.split("\t") for line in told.splitlines())
    return {name.partition(":")[0] for name, status in pairs if status == "installed"}


def _output(*command: str, cwd: str | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        raise Unavailable(f"{command[0]} failed: {done.stderr.strip()[-200:]}")
    return done.stdout


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(port: int) -> Callable[[], bool]:
    def answers() -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    return answers
