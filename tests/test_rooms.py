"""The rooms and who may enter which (docs/decisions): read from the source, so that a new file is held to it too."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FUNCTIONS = ROOT / "functions"
STEPS = sorted(path.stem for path in (FUNCTIONS / "steps").glob("*.py") if path.stem != "__init__")
OUR_OWN = {"rewards", "adapters", "steps", "bootstrap", "delivery", "telemetry", "infra", "ops"}

MAY_IMPORT = {
    "functions/rewards": {"rewards", "msgspec"},
    "functions/adapters": {"rewards", "adapters", "msgspec", "botocore", "urllib3"},
    "functions/steps": {"rewards", "bootstrap", "delivery", "telemetry", "aws_lambda_powertools"},
    "functions/telemetry.py": {"rewards", "aws_lambda_powertools"},
    "functions/delivery.py": {"rewards", "bootstrap", "telemetry", "aws_lambda_powertools"},
    "functions/bootstrap": {"rewards", "adapters", "bootstrap", "botocore"},
    "infra": {"infra", "rewards", "msgspec", "aws_cdk", "constructs", "cdk_nag", "jsii"},
    "ops": OUR_OWN - {"infra", "steps", "bootstrap", "delivery", "telemetry"} | {"boto3", "botocore", "msgspec"}
    | {"typer", "click", "rich", "cronsim", "hypercorn", "ministack"},
}  # fmt: skip
SOURCES = [(path, room) for room in MAY_IMPORT for path in sorted((ROOT / room).rglob("*.py") or [ROOT / room])]
SOURCES += [(ROOT / room, room) for room in MAY_IMPORT if room.endswith(".py")]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> set[str]:
    """The top-level names of what a file imports, but for what only the type checker sees."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return {name for name in found if not name.startswith("mypy_boto3") and name not in sys.stdlib_module_names}


@pytest.mark.parametrize(("path", "room"), SOURCES, ids=lambda value: name_of(value) if isinstance(value, Path) else "")
def test_a_file_imports_only_what_its_room_may(path: Path, room: str) -> None:
    assert imports(path) <= MAY_IMPORT[room]


def test_no_step_imports_another() -> None:
    for path in (FUNCTIONS / "steps").glob("*.py"):
        assert "steps" not in imports(path), path


@pytest.mark.parametrize(
    ("alone", "does"),
    [
        ("settings.py", {"os.environ", "os.getenv"}),
        ("clients.py", {"Session", "botocore.session", "get_session", "create_client", "boto3.client"}),
        ("clock.py", {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns"}),
    ],
)
def test_one_file_of_bootstrap_reads_the_environment_one_makes_clients_one_looks_at_the_clock(
    alone: str, does: set[str]
) -> None:
    users = {path for path in FUNCTIONS.rglob("*.py") if does & called(path)}
    assert users == {FUNCTIONS / "bootstrap" / alone}


def called(path: Path) -> set[str]:
    """Names in a file, and attributes with what they are of: `now` is in no way to be called but as `datetime.now`."""
    found = set()
    for node in ast.walk(tree(path)):
        match node:
            case ast.Attribute(value=ast.Name(id=of), attr=attribute):
                found |= {attribute, f"{of}.{attribute}"}
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
                found.add(name)
    return found


def test_functions_shadow_no_standard_name() -> None:
    assert not {path.stem for path in FUNCTIONS.iterdir()} & set(sys.stdlib_module_names)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_has_one_name_in_three_trees(step: str) -> None:
    assert (ROOT / "tests" / "steps" / f"test_{step}.py").exists()
    assert any(f'"{step}"' in path.read_text() for path in (ROOT / "infra").glob("*.py"))
