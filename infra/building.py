"""What is shipped to AWS, made in a folder of its own that is named by what it was made of: so it is made only once."""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parents[1]
BUILT = PROJECT / ".cache" / "built"
RUNTIME = "3.13"
"""The Python of the functions in AWS. Bytecode is of one version of Python only."""


def build(recipe: Iterable[str], make: Callable[[Path], None]) -> Path:
    """The folder that `make` fills; `recipe` names all that it depends on."""
    built = BUILT / hashlib.sha256("\n".join(recipe).encode()).hexdigest()
    if not built.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILT) as unfinished:
            make(Path(unfinished, "made"))
            try:
                os.rename(Path(unfinished, "made"), built)
            except OSError:  # another process was first; its folder is as good
                if not built.exists():
                    raise
    return built


def compile_for(pythons: Iterable[str], folder: Path, *, at: str) -> None:
    """Put bytecode beside the sources, which stand in AWS at the path `at`.

    Nothing can be written there, so that what is not shipped is compiled anew by every cold start. An asset forgets
    when its files were written, so the bytecode must not ask: it is taken as it is.
    """
    for python in pythons:
        unchecked = ("--invalidation-mode", "unchecked-hash")
        arguments = ["-qq", *unchecked, "-s", str(folder), "-p", at, str(folder)]
        subprocess.run([python, "-m", "compileall", *arguments], check=True)  # noqa: S603


def pythons(*, for_lambda: bool, for_host: bool) -> tuple[str, ...]:
    """Who compiles: this Python for itself, and for Lambda whichever here is of its version, if there is one."""
    found = lambdas_python() if for_lambda else None
    return tuple(dict.fromkeys([*([found] if found else []), *([sys.executable] if for_host else [])]))


@cache
def lambdas_python() -> str | None:
    """A Python of the functions' version on this machine."""
    return next((python for python in (sys.executable, f"python{RUNTIME}") if _version(python) == RUNTIME), None)


def _version(python: str) -> str:
    ask = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return ""
