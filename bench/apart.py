"""A benchmark in a process of its own. Not in `__main__`, of which a spawned process knows nothing."""

import time
import traceback
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

from bench.table import Measured, progress


def measured_apart(name: str) -> list[Measured]:
    """What `bench/<name>.py` measures, in a fresh process: no benchmark warms or fills the memory of the next."""
    progress(f"{name} …")
    began = time.monotonic()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        try:
            found = process.submit(measure, name).result()
        except Exception as error:  # one that fails must not take away what the others found
            traceback.print_exc()
            found = [Measured(name, "not measured", f"{type(error).__name__}: {error}", holds=False)]
    progress(f"{name} took {time.monotonic() - began:.0f} s")
    return found


def measure(name: str) -> list[Measured]:
    found: Iterable[Measured] = import_module(f"bench.{name}").measure()
    return list(found)
