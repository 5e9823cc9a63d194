"""The libraries the functions import, as a Lambda layer that pip builds, without Docker.

pip can fetch wheels for a machine that is not this one. The embedded cloud runs the functions on the Python it was
itself started with, so there the layer also holds that Python's wheels: compiled modules carry their Python and
platform in their names, so both sets fit in one folder.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from aws_cdk import Annotations, AssetHashType, Stack
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import building, trimming
from infra.building import PROJECT, RUNTIME
from infra.config import Config

REQUIREMENTS = PROJECT / "functions" / "requirements.txt"
AT = "/opt/python"
"""Where a layer's libraries are in AWS."""

LAMBDA = (
    "--implementation=cp",
    f"--python-version={RUNTIME}",
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
        if not building.lambdas_python():
            Annotations.of(self).add_info(
                f"There is no Python {RUNTIME} here, so the functions go out without bytecode and start slower."
            )

    @classmethod
    def of(cls, scope: Construct, *, config: Config) -> "Libraries":
        """The layer of the stack that `scope` is in."""
        stack = Stack.of(scope)
        layer = stack.node.try_find_child("Libraries")
        return layer if isinstance(layer, cls) else cls(stack, config=config)


def build(*targets: tuple[str, ...]) -> Path:
    """A folder with the libraries for each target, trimmed and compiled."""
    pythons = building.pythons(for_lambda=LAMBDA in targets, for_host=HOST in targets)

    def make(layer: Path) -> None:
        for target in targets:
            _install(target, into=layer / "python")
        trimming.trim(layer / "python" / "botocore" / "data")
        building.compile_for(pythons, layer / "python", at=AT)

    how = [Path(module.__file__).read_text() for module in (building, trimming) if module.__file__]
    return building.build([REQUIREMENTS.read_text(), *how, *map(str, targets), *pythons, sys.version], make)


def _install(target: tuple[str, ...], *, into: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-compile", "--no-deps", "--require-hashes"]
    with tempfile.TemporaryDirectory(dir=building.BUILT) as folder:
        subprocess.run([*pip, *target, f"--target={folder}", f"--requirement={REQUIREMENTS}"], check=True)  # noqa: S603
        shutil.rmtree(Path(folder, "bin"), ignore_errors=True)
        shutil.copytree(folder, into, dirs_exist_ok=True)
