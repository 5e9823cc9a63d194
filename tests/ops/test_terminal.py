"""How data are printed: as they are, whatever is in them."""

import pytest

from ops.terminal import out, plain, step


def printed(capsys: pytest.CaptureFixture[str], text: str) -> str:
    out.print(plain(text))
    return capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize("text", ["[bold]P1[/]", "[/]", "A:cat:B", "[link=x]", "茶 1", "１/TG"])
def test_an_identifier_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert printed(capsys, text) == text


@pytest.mark.parametrize("control", ["\x1b", "\n", "\r", "\x7f", "\x9b", "\x00"])
def test_what_would_move_the_cursor_is_replaced(capsys: pytest.CaptureFixture[str], control: str) -> None:
    assert printed(capsys, f"A{control}[2JB") == "A\ufffd[2JB"


def test_a_step_on_a_file_with_a_strange_name_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with step("Importing [/x].csv", "Imported [/x].csv"):
        pass
    assert "Imported [/x].csv" in capsys.readouterr().err
