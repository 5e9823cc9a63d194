"""Which dead letters an operator means: the options that the commands about them share."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, get_args

import typer

from adapters.letters import KeptLetters
from ops.stack import Stack
from ops.terminal import is_date
from rewards.filing import Selection
from rewards.letters import FailureKind

FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
KINDS: tuple[FailureKind, ...] = get_args(FailureKind)
UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def age(text: str) -> timedelta:
    """90m, 36h or 7d."""
    found = re.fullmatch(r"([0-9]{1,5})([mhd])", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no age, like 90m, 36h or 7d")
    return timedelta(**{UNITS[found[2]]: int(found[1])})


def utc_date(text: str) -> str:
    if not is_date(text):
        raise typer.BadParameter(f"{text!r} is no date, like 2026-11-30")
    return text


def failure_kind(text: str) -> str:
    if text not in KINDS:
        raise typer.BadParameter(f"{text!r} is no kind of letter; there are {', '.join(KINDS)}")
    return text


Kind = Annotated[
    FailureKind | None,
    typer.Option(parser=failure_kind, metavar="KIND", help=f"Only letters of this kind: {', '.join(KINDS)}."),
]
Step = Annotated[str | None, typer.Option(metavar="STEP", help="Only what this step gave up, like grant_points.")]
Shop = Annotated[str | None, typer.Option(metavar="SHOP", help="Only what concerns this shop.")]
Promotion = Annotated[
    str | None, typer.Option(metavar="PROMOTION", help="Only rewards and tasks of this promotion.")
]  # fmt: skip
OlderThan = Annotated[
    timedelta | None,
    typer.Option(parser=age, metavar="AGE", help="Only what first failed longer ago, like 90m or 36h."),
]
NewerThan = Annotated[
    timedelta | None, typer.Option(parser=age, metavar="AGE", help="Only what first failed since then, like 90m or 7d.")
]


def selection(
    *,
    kind: FailureKind | None,
    step: str | None,
    shop: str | None,
    promotion: str | None,
    older_than: timedelta | None,
    newer_than: timedelta | None,
    now: datetime,
) -> Selection:
    since = FIRST if newer_than is None else now - newer_than
    until = LAST if older_than is None else now - older_than
    if since > until:
        raise typer.BadParameter("--newer-than and --older-than leave no time between them")
    return Selection(
        kinds=(kind,) if kind else KINDS,
        since=since,
        until=until,
        step=step,
        shop_id=shop,
        promotion_id=promotion,
    )


def kept_letters(stack: Stack) -> KeptLetters:
    return KeptLetters(stack.s3, stack["LettersBucketName"], stack.dynamodb, stack["LettersTableName"])
