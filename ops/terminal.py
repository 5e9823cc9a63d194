"""How the command speaks: results to standard output, progress and complaints to standard error."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from rewards.errors import Invalid
from rewards.identifiers import LONGEST, identifier

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")]
Aws = Annotated[
    bool,
    typer.Option(
        "--aws",
        envvar="REWARDS_AWS",
        help="Work on AWS with your usual profile and region. Otherwise it is the embedded cloud.",
    ),
]

out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)

CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], "\ufffd")


def named(value: str, argument: str, longest: int = LONGEST) -> str:
    """An identifier as an operator typed it, which crosses the same border as one in an event. Raises BadParameter."""
    try:
        return identifier(value, argument, longest)
    except Invalid as invalid:
        raise typer.BadParameter(invalid.problem, param_hint=argument) from None


def is_date(text: str) -> bool:
    """Whether it is like 2026-11-30; ISO 8601 has other ways, and folders and days are named in this one."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def counted(number: int, thing: str) -> str:
    """So many of a thing, like `1 coupon` and `1,200 coupons`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def plain(text: str) -> str:
    """Text that came from elsewhere, as it is to stand in what we print: it colours nothing and moves no cursor."""
    return escape(text.translate(CONTROLS))


@contextmanager
def step(doing: str, done: str) -> Iterator[None]:
    """One step of something long: a spinner while it lasts, one line with its seconds once it is done."""
    began = time.monotonic()
    with err.status(plain(doing)):
        yield
    err.print(f"[green]✓[/] {plain(done)} [dim]{time.monotonic() - began:.1f} s[/]")


def print_json(result: Any) -> None:
    """A result for programs: points are numbers, money strings, times RFC 3339 in UTC."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(result, order="deterministic"), indent=2).decode() + "\n")
