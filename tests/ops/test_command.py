"""What every subcommand promises: help that helps, JSON, and a status to go by."""

import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ops.cli import app, main

COMMANDS = {
    "up": [],
    "down": [],
    "demo": [],
    "send": [__file__],
    "show": ["1/TG2611110042"],
    "explain": ["1/TG2611110042"],
    "dispatch": ["--execute-time", "2026-11-18T01:01:00+08:00"],
    "schedule": [],
    "import": [__file__, "--shop", "1", "--date", "2026-11-30"],
    "promotions put": [__file__],
    "promotions list": ["1"],
    "coupons add": ["1", "TEA", "--count", "5"],
    "coupons list": [],
    "dead-letters list": [],
    "dead-letters show": ["2026-11-30/m-1"],
    "dead-letters stats": [],
    "redrive": ["--kind", "refused"],
    "audit": [],
}
WITHOUT_A_CLOUD = (
    "show",
    "explain",
    "dispatch",
    "schedule",
    "import",
    "promotions list",
    "coupons add",
    "coupons list",
    "dead-letters list",
    "dead-letters show",
    "dead-letters stats",
    "redrive",
    "audit",
)


def leaves(command: object, name: str = "") -> list[str]:
    commands = getattr(command, "commands", None)
    if commands is None:
        return [name]
    return [leaf for each, inner in commands.items() for leaf in leaves(inner, f"{name} {each}".strip())]


def test_no_command_is_forgotten_here() -> None:
    assert sorted(leaves(typer.main.get_command(app))) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself_and_has_json(command: str) -> None:
    shown = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert shown.exit_code == 0
    assert "--json" in shown.output
    assert len(shown.output.splitlines()) > 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "no-slash"],
        ["show", "1/"],
        ["show"],
        ["dispatch"],
        ["dispatch", "--execute-time", "tomorrow"],
        ["dispatch", "--execute-time", "2026-11-18T01:01:00"],
        ["send", "no/such/file.jsonl"],
        ["import", __file__],
        ["import", __file__, "--shop", "1/2", "--date", "2026-11-30"],
        ["import", __file__, "--shop", "1", "--date", "30.11.2026"],
        ["import", __file__, "--shop", " ", "--date", "2026-11-30"],
        ["schedule", "--what-if", "-1"],
        ["coupons", "add", "1", "TEA"],
        ["coupons", "add", "1", "TEA", "--count", "0"],
        ["dead-letters", "list", "--kind", "unlucky"],
        ["dead-letters", "list", "--older-than", "yesterday"],
        ["dead-letters", "list", "--day", "2026-13-01"],
        ["dead-letters", "list", "--limit", "0"],
        ["dead-letters", "show"],
        ["redrive"],
        ["redrive", "--dry-run"],
        ["redrive", "--kind", "refused", "--rate", "0"],
        ["vanish"],
    ],
)
def test_misuse_has_status_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == 2


@pytest.mark.parametrize("command", WITHOUT_A_CLOUD)
def test_without_a_cloud_the_command_says_how_to_start_one(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REWARDS_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["rewards", *command.split(), *COMMANDS[command]])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "rewards up" in capsys.readouterr().err


def test_down_without_a_cloud_is_no_trouble(tmp_path: Path) -> None:
    stopped = CliRunner().invoke(app, ["down", "--json"], env={"REWARDS_DATA": str(tmp_path)})
    assert stopped.exit_code == 0
    assert '"stopped": false' in stopped.output
