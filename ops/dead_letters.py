"""`rewards dead-letters`: what could not be worked on, kept for good."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from itertools import dropwhile, islice
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import asdict

from ops import clock
from ops.letter_options import Kind, NewerThan, OlderThan, Promotion, Shop, Step, kept_letters, selection, utc_date
from ops.show import local
from ops.stack import connect
from ops.terminal import Aws, Json, counted, out, plain, print_json
from ops.trouble import Trouble
from rewards.filing import Filed, LetterFile
from rewards.letters import FailureKind, Letter

NO_LETTERS = "There are no such letters; `rewards dead-letters stats` tells of all there are, by kind and step."

dead_letters = typer.Typer(
    help="List, show and count dead letters; `rewards redrive` tries again.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(metavar="LETTER", help="The letter, as it is listed: 2026-11-30/8f14e45f.")]


class Heap(Struct, frozen=True, kw_only=True):
    """The letters of one kind that one step gave up; `error` is that of the newest which has one."""

    kind: FailureKind
    step: str
    letters: int
    oldest: datetime
    newest: datetime
    redriven_before: int
    error: str | None


@dead_letters.command(name="list")
def list_(
    *,
    kind: Kind = None,
    step: Step = None,
    shop: Shop = None,
    promotion: Promotion = None,
    older_than: OlderThan = None,
    newer_than: NewerThan = None,
    day: Annotated[
        str | None,
        typer.Option(parser=utc_date, metavar="DATE", help="All that first failed on this UTC date, redriven or not."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many to list.")] = 50,
    after: Annotated[str | None, typer.Option(metavar="LETTER", help="Go on from behind this letter.")] = None,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """List the letters nobody has redriven yet, the oldest first.

    Ages count from when the message or the reward first failed.
    """
    if day and (older_than or newer_than):
        raise typer.BadParameter("--day is all of a day: it goes with no age")
    stack = connect(aws=aws)
    meant = selection(
        kind=kind, step=step, shop=shop, promotion=promotion, older_than=older_than, newer_than=newer_than,
        now=clock.now(stack),
    )  # fmt: skip
    letters = kept_letters(stack)
    last = filed(after, letters).sort if after else None
    found = letters.open(meant, after=last)
    if day:
        of_day = (letter for letter in letters.of_day(day) if letter.kind in meant.kinds and meant.holds(letter))
        found = dropwhile(lambda letter: last is not None and letter.sort <= last, of_day)
    page = list(islice(found, limit + 1))
    shown, is_more = page[:limit], len(page) > limit
    if as_json:
        print_json({"letters": shown, "after": shown[-1].name if is_more else None})
        return
    for letter in shown:
        out.print(line(letter, stack.zone))
    if not shown:
        out.print(NO_LETTERS)
    if is_more:
        out.print(f"There are more: --after {shown[-1].name}")


@dead_letters.command()
def show(name: Name, *, aws: Aws = False, as_json: Json = False) -> None:
    """Show a letter: the message unaltered, the error, where it came from and how often it was tried."""
    stack = connect(aws=aws)
    letters = kept_letters(stack)
    thin = filed(name, letters)
    letter = letters.whole(name)
    if as_json:
        print_json({**asdict(letter), "redriven_at": thin.redriven_at, "redriven_by": thin.redriven_by})
        return
    out.print(line(thin, stack.zone))
    for told in about(letter, thin, stack.zone):
        out.print(f"  {plain(told)}")
    out.print("\n" + "\n".join(map(plain, pretty(letter.body).split("\n"))))


@dead_letters.command()
def stats(
    *,
    kind: Kind = None,
    step: Step = None,
    shop: Shop = None,
    promotion: Promotion = None,
    older_than: OlderThan = None,
    newer_than: NewerThan = None,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Count the letters nobody has redriven yet, by kind and step, with the newest error of each."""
    stack = connect(aws=aws)
    meant = selection(
        kind=kind, step=step, shop=shop, promotion=promotion, older_than=older_than, newer_than=newer_than,
        now=clock.now(stack),
    )  # fmt: skip
    found = heaps(kept_letters(stack).open(meant))
    if as_json:
        print_json(found)
        return
    print_heaps(found, stack.zone)


def filed(name: str, letters: LetterFile) -> Filed:
    try:
        return letters.filed(letters.whole(name))
    except LookupError:
        raise Trouble(f"There is no letter {name}; `rewards dead-letters list` names them.") from None
    except msgspec.MsgspecError as error:
        raise Trouble(f"What lies in the bucket as letters/{name}.json is no letter: {error}.") from None


def heaps(letters: Iterable[Filed]) -> list[Heap]:
    """The largest first."""
    sorted_by: defaultdict[tuple[FailureKind, str], list[Filed]] = defaultdict(list)
    for letter in letters:
        sorted_by[letter.kind, letter.step].append(letter)
    found = [_heap(*key, letters) for key, letters in sorted_by.items()]
    return sorted(found, key=lambda heap: (-heap.letters, heap.kind, heap.step))


def print_heaps(found: list[Heap], zone: ZoneInfo) -> None:
    for heap in found:
        again = f", {heap.redriven_before:,} redriven before" if heap.redriven_before else ""
        out.print(
            f"{heap.letters:>7,}  {heap.kind}  {plain(heap.step)}  "
            f"{local(heap.oldest, zone)} to {local(heap.newest, zone)}{again}  [dim]{plain(heap.error or '')}[/]"
        )
    if not found:
        out.print(NO_LETTERS)


def line(letter: Filed, zone: ZoneInfo) -> str:
    about = "/".join(part for part in (letter.shop_id, letter.order_group) if part)
    again = f"  {letter.times_redriven} × redriven before" if letter.times_redriven else ""
    done = f"  redriven {local(letter.redriven_at, zone)} by {letter.redriven_by}" if letter.redriven_at else ""
    words = [letter.name, letter.kind, letter.step, about, local(letter.first_failed_at, zone)]
    return f"{plain('  '.join(filter(None, words)) + again + done)}  [dim]{plain(letter.error or '')}[/]"


def about(letter: Letter, thin: Filed, zone: ZoneInfo) -> Iterable[str]:
    first, last = local(letter.first_failed_at, zone), local(letter.failed_at, zone)
    yield f"tried {counted(letter.attempts, 'time')}, from {first} to {last}"
    yield f"came from {letter.source}; version {letter.service_version}"
    if letter.promotion_id:
        yield f"promotion {letter.promotion_id}"
    for name, value in letter.attributes.items():
        yield f"{name}: {value}"
    if letter.error and letter.error != thin.error:
        yield letter.error


def pretty(body: str) -> str:
    """JSON with its fields one to a line; anything else as it is."""
    try:
        return msgspec.json.format(body, indent=2)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return body


def _heap(kind: FailureKind, step: str, letters: list[Filed]) -> Heap:
    """`letters` are of one kind and step, the oldest first."""
    return Heap(
        kind=kind,
        step=step,
        letters=len(letters),
        oldest=letters[0].first_failed_at,
        newest=letters[-1].first_failed_at,
        redriven_before=sum(letter.times_redriven > 0 for letter in letters),
        error=next((letter.error for letter in reversed(letters) if letter.error), None),
    )
