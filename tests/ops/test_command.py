"""What every subcommand promises: help that helps, JSON, and a status to go by."""

import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ops.cli import app, main
from ops.embedded import cloud
from ops.folders import data_folder
from ops.trouble import Trouble

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
        ["redrive", "--kind", "refused", "--rate", "inf"],
        ["dead-letters", "list", "--newer-than", "999999d"],
        ["coupons", "add", "1", "TEA", "--count", "99999999999"],
        ["coupons", "add", " ", "TEA", "--count", "5"],
        ["coupons", "add", "1", "", "--count", "5"],
        ["coupons", "add", "1" * 101, "TEA", "--count", "5"],
        ["promotions", "list", ""],
        ["dispatch", "--execute-time", "0001-01-01T00:00:00+08:00"],
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
    assert ended.value.code == (2 if command == "audit" else 1), "of an audit 1 is findings"
    assert "rewards up" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (PermissionError(13, "Permission denied", "orders.jsonl"), "orders.jsonl: Permission denied."),
        (OSError("no space"), "no space."),
        (Trouble("[/] is\nno markup"), "[/] is\nno markup"),
        (KeyboardInterrupt(), "Interrupted."),
    ],
)
def test_what_stops_a_command_is_told_without_a_traceback(
    raised: BaseException, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise raised

    with pytest.raises(SystemExit) as ended:
        main(fail)
    assert ended.value.code == 1
    assert capsys.readouterr().err.strip().removeprefix("✗ ") == words


@pytest.mark.parametrize("raised", [Trouble("no export"), OSError("no space"), KeyboardInterrupt(), KeyError("fault")])
def test_an_audit_that_could_not_look_does_not_end_like_one_that_found_something(
    raised: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise raised

    monkeypatch.setattr(sys, "argv", ["rewards", "audit", "--export", "exports"])
    with pytest.raises(SystemExit) as ended:
        main(fail)
    assert ended.value.code == 2
    assert capsys.readouterr().err


def test_a_fault_of_our_own_keeps_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(lambda: {}["fault"])
    assert ended.value.code == 1
    assert "KeyError: 'fault'" in capsys.readouterr().err


def test_a_relative_data_folder_is_the_same_from_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REWARDS_DATA", "mine")
    assert data_folder() == tmp_path.resolve() / "mine"


def test_down_without_a_cloud_is_no_trouble(tmp_path: Path) -> None:
    stopped = CliRunner().invoke(app, ["down", "--json"], env={"REWARDS_DATA": str(tmp_path)})
    assert stopped.exit_code == 0
    assert '"stopped": false' in stopped.output


def test_down_does_not_cut_off_a_deployment(tmp_path: Path) -> None:
    with cloud.alone(tmp_path):
        stopped = CliRunner().invoke(app, ["down"], env={"REWARDS_DATA": str(tmp_path)})
    assert isinstance(stopped.exception, Trouble)
