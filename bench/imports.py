"""What a cold start pays: each step imported in a fresh process, with the first client it makes.

    python -m bench.imports

The step comes as it is shipped: its code with bytecode, its libraries out of the layer. It is held against `import
boto3` and one client out of an ordinary installation, with bytecode as pip writes it. The bare interpreter is taken
off both. In between stands the same step without bytecode, as every cold start found it before it was shipped.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.table import Measured, progress, show
from infra import building, code, layer

ROUNDS = 9
BAR = 0.9
PART = "Cold start"
STEPS = sorted({path.stem for path in Path("functions/steps").glob("*.py")} - {"__init__"})
FIRST_CLIENT = {"collect": "s3"}
"""Of the others it is DynamoDB's."""

BARE = "pass"
BOTO3 = "import boto3; boto3.client('dynamodb')"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_SECRET_ACCESS_KEY": "nothing",
    "AWS_DEFAULT_REGION": "ap-northeast-1",
    "POWERTOOLS_SERVICE_NAME": "bench",
}


class Cost(NamedTuple):
    """Milliseconds of one process."""

    cpu: float
    wall: float

    def less(self, bare: "Cost") -> "Cost":
        return Cost(self.cpu - bare.cpu, self.wall - bare.wall)


def measure() -> list[Measured]:
    shipped = [code.build(for_lambda=False, for_host=True), layer.build(layer.HOST) / "python"]
    installed = [Path(sysconfig.get_path("purelib"))]
    with tempfile.TemporaryDirectory() as nothing:
        runs: dict[str, tuple[str, list[Path], dict[str, str]]] = {
            "bare": (BARE, [], {}),
            "boto3": (BOTO3, installed, {}),
            "uncompiled": (_step("book"), shipped, {"PYTHONPYCACHEPREFIX": nothing, "PYTHONDONTWRITEBYTECODE": "1"}),
            **{step: (_step(step), shipped, {}) for step in STEPS},
        }
        costs: dict[str, list[Cost]] = {name: [] for name in runs}
        for number in range(ROUNDS):
            progress(f"cold starts, round {number + 1} of {ROUNDS}")
            for name, run in runs.items():
                costs[name].append(_cost(*run))
    bare = _median(costs["bare"])
    taken = {name: _median(each).less(bare) for name, each in costs.items()}
    return [*_rows(taken), *_sizes(installed[0], shipped[1])]


def _rows(taken: dict[str, Cost]) -> Iterable[Measured]:
    boto3 = taken["boto3"]
    yield Measured(PART, "import boto3 and make one client", f"{boto3.cpu:.0f} ms CPU, {boto3.wall:.0f} ms")
    for step in STEPS:
        ratio = taken[step].cpu / boto3.cpu
        figure = f"{taken[step].cpu:.0f} ms CPU, {taken[step].wall:.0f} ms: {ratio:.2f}"
        yield Measured(PART, f"import `{step}` and make one client", figure, f"≤ {BAR}", ratio <= BAR)
    uncompiled = taken["uncompiled"]
    figure = f"{uncompiled.cpu:.0f} ms CPU, {uncompiled.wall:.0f} ms: {uncompiled.cpu / boto3.cpu:.2f}"
    yield Measured(PART, "`book` without bytecode, code and libraries", figure)
    made = "yes" if building.lambdas_python() else "no such Python"
    yield Measured(PART, f"bytecode for Lambda's Python {building.RUNTIME} made here", made)


def _sizes(installed: Path, shipped: Path) -> Iterable[Measured]:
    before, after = (_megabytes(folder / "botocore" / "data") for folder in (installed, shipped))
    yield Measured(PART, "botocore's data, in the layer and as installed", f"{after:.1f} of {before:.1f} MB")


def _step(name: str) -> str:
    client = FIRST_CLIENT.get(name, "dynamodb")
    return f"import steps.{name}; from bootstrap import clients; clients.{client}()"


def _cost(run: str, path: list[Path], environment: dict[str, str]) -> Cost:
    """Without `site`, which a development environment makes longer than Lambda's."""
    found = os.pathsep.join(map(str, path))
    began = time.perf_counter()
    environment = {**ENVIRONMENT, "PYTHONPATH": found, **environment}
    process = subprocess.Popen([sys.executable, "-S", "-c", run], env=environment)  # noqa: S603
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{run!r} failed")
    return Cost((used.ru_utime + used.ru_stime) * 1000, wall * 1000)


def _median(costs: list[Cost]) -> Cost:
    return Cost(median(cost.cpu for cost in costs), median(cost.wall for cost in costs))


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    show(measure())
