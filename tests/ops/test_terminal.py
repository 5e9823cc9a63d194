"""How data are printed: as they are, whatever is in them."""

import io

import pytest

from ops.terminal import err, out, plain, step


def printed(monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    file = io.StringIO()
    monkeypatch.setattr(out, "file", file)
    out.print(plain(text))
    return file.getvalue().rstrip("\n")


@pytest.mark.parametrize("text", ["[bold]P1[/]", "[/]", "A:cat:B", "[link=x]", "茶 1", "１/TG"])
def test_an_identifier_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert printed(monkeypatch, text) == text


@pytest.mark.parametrize("control", ["\x1b", "\n", "\r", "\x7f", "\x9b", "\x00"])
def test_what_would_move_the_cursor_is_replaced(monkeypatch: pytest.MonkeyPatch, control: str) -> None:
    assert printed(monkeypatch, f"A{control}[2JB") == "A\ufffd[2JB"


def test_a_step_on_a_file_with_a_strange_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(err, "file", file)
    with step("Importing [/x].csv", "Imported [/x].csv"):
        pass
    assert "Imported [/x].csv" in file.getvalue()
