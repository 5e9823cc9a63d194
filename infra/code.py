"""The functions' own code, as it is shipped: the sources and their bytecode, the same for every step."""

import shutil
import sys
from functools import cache
from pathlib import Path

from aws_cdk import AssetHashType
from aws_cdk import aws_lambda as lambda_

from infra import building
from infra.building import PROJECT
from infra.config import Config

FUNCTIONS = PROJECT / "functions"
NOT_SHIPPED = shutil.ignore_patterns("requirements.*", "__pycache__")
AT = "/var/task"
"""Where a function's code is in AWS."""


def code(*, config: Config) -> lambda_.Code:
    built = build(for_lambda=True, for_host=config.embedded)
    return lambda_.Code.from_asset(str(built), asset_hash=built.name, asset_hash_type=AssetHashType.CUSTOM)


@cache
def build(*, for_lambda: bool, for_host: bool) -> Path:
    """A folder with the code, compiled for AWS and for this Python as asked. All steps have the same."""
    pythons = building.pythons(for_lambda=for_lambda, for_host=for_host)

    def make(folder: Path) -> None:
        shutil.copytree(FUNCTIONS, folder, ignore=NOT_SHIPPED)
        building.compile_for(pythons, folder, at=AT)

    sources = [f"{path.relative_to(FUNCTIONS)}\n{path.read_text()}" for path in sorted(FUNCTIONS.rglob("*.py"))]
    return building.build([*sources, *pythons, sys.version, Path(building.__file__).read_text()], make)
