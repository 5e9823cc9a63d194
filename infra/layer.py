"""The libraries the functions import, as a Lambda layer that pip builds, without Docker.

pip can fetch wheels for a machine that is not this one. The embedded cloud runs the functions on the Python it was
itself started with, so there the layer also holds that Python's wheels: compiled modules carry their Python and
platform in their names, so both sets fit in one folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from aws_cdk import AssetHashType, Stack
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.config import Config

PROJECT = Path(__file__).parents[1]
REQUIREMENTS = PROJECT / "functions" / "requirements.txt"
BUILT = PROJECT / ".cache" / "layers"

LAMBDA = (
    "--implementation=cp",
    "--python-version=3.13",
    "--only-binary=:all:",
    *(f"--platform=manylinux{glibc}_aarch64" for glibc in ("2014", "_2_17", "_2_28", "_2_34")),
)
HOST = ("--only-binary=:all:",)


class Libraries(lambda_.LayerVersion):
    """One layer for all steps of a stack."""

    def __init__(self, stack: Stack, *, config: Config) -> None:
        targets = (HOST, LAMBDA) if config.embedded else (LAMBDA,)
        built = build(*targets)
        super().__init__(
            stack,
            "Libraries",
            code=lambda_.Code.from_asset(str(built), asset_hash=built.name, asset_hash_type=AssetHashType.CUSTOM),
            compatible_runtimes=[lambda_.Runtime.PYTHON_3_13],
            compatible_architectures=[lambda_.Architecture.ARM_64],
        )

    @classmethod
    def of(cls, scope: Construct, *, config: Config) -> "Libraries":
        """The layer of the stack that `scope` is in."""
        stack = Stack.of(scope)
        layer = stack.node.try_find_child("Libraries")
        return layer if isinstance(layer, cls) else cls(stack, config=config)


def build(*targets: tuple[str, ...]) -> Path:
    """A folder with the libraries for each target, named by what it was made of, so that it is made only once."""
    recipe = [REQUIREMENTS.read_text(), *map(str, targets), sys.version if HOST in targets else ""]
    built = BUILT / hashlib.sha256("\n".join(recipe).encode()).hexdigest()
    if not built.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILT) as unfinished:
            for number, target in enumerate(targets):
                _install(target, Path(unfinished, str(number)), into=Path(unfinished, "layer", "python"))
            try:
                os.rename(Path(unfinished, "layer"), built)
            except OSError:  # another process was first; its folder is as good
                if not built.exists():
                    raise
    return built


def _install(target: tuple[str, ...], folder: Path, *, into: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-compile", "--no-deps", "--require-hashes"]
    subprocess.run([*pip, *target, f"--target={folder}", f"--requirement={REQUIREMENTS}"], check=True)  # noqa: S603
    shutil.rmtree(folder / "bin", ignore_errors=True)
    shutil.copytree(folder, into, dirs_exist_ok=True)
