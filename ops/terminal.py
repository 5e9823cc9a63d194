"""How the command speaks: results to standard output, progress and complaints to standard error."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")]
Aws = Annotated[
    bool,
    typer.Option(
        "--aws",
        envvar="REWARDS_AWS",
        help="Work on AWS with your usual profile and region. Otherwise it is the embedded cloud.",
    ),
]

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def step(doing: str, done: str) -> Iterator[None]:
    """One step of something long: a spinner while it lasts, one line with its seconds once it is done."""
    began = time.monotonic()
    with err.status(doing):
        yield
    err.print(f"[green]✓[/] {done} [dim]{time.monotonic() - began:.1f} s[/]")


def print_json(result: Any) -> None:
    """A result for programs: points are numbers, money strings, times RFC 3339 in UTC."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(result, order="deterministic"), indent=2).decode() + "\n")
