"""The machine and the versions that a figure belongs to."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("boto3", "botocore", "msgspec", "ministack")


def described() -> str:
    """In a sentence or two: when, on what, with what, and how busy the machine is."""
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"Measured {datetime.now(UTC):%Y-%m-%d %H:%M} UTC on {os.cpu_count()} cores ({_processor()}), "
        f"{_memory_gib():.0f} GiB, {platform.system()}, Python {platform.python_version()}, {versions}. "
        f"Load when the page was written: {os.getloadavg()[0]:.1f}."
    )


def _processor() -> str:
    if not (told := Path("/proc/cpuinfo")).exists():
        return platform.machine()
    fields = (line.partition(":") for line in told.read_text().splitlines())
    return next((value.strip() for name, _, value in fields if name.strip() == "model name"), platform.machine())


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
