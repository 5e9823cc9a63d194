"""`rewards redrive`: try again what was given up, once its cause is gone."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Annotated, Literal, NamedTuple
from zoneinfo import ZoneInfo

import typer
from botocore.exceptions import BotoCoreError, ClientError
from msgspec import MsgspecError, Struct

from adapters.queues import NotSent
from ops import clock
from ops.dead_letters import Heap, filed, heaps, print_heaps
from ops.letter_options import Kind, NewerThan, OlderThan, Promotion, Shop, Step, kept_letters, selection
from ops.pace import Pace
from ops.replay import FailedAgainError, Replay
from ops.stack import connect
from ops.terminal import Aws, Json, counted, err, out, plain, print_json
from rewards.errors import RewardsError
from rewards.filing import LetterFile
from rewards.ledger import Contended
from rewards.letters import Letter
from rewards.replaying import NoWayBackError

CLAIMED_FOR = timedelta(minutes=10)
"""Longer than any call takes; then another may take a letter over from who died with it."""

TOLD_EVERY = 100
"""So many letters to a line of progress, where nobody watches."""

FAILURES = (
    BotoCoreError,
    ClientError,
    Contended,
    FailedAgainError,
    LookupError,
    MsgspecError,
    NoWayBackError,
    NotSent,
    RewardsError,
)
"""What may happen to one letter and is no reason to stop."""

What = Literal["redriven", "nothing to do", "taken", "failed"]


class Tried(NamedTuple):
    """What came of a letter. `taken`: another operator has it, or has done it."""

    name: str
    what: What
    problem: str = ""


class Failed(Struct, frozen=True):
    """A letter that is open still, and why."""

    letter: str
    problem: str


class Redriven(Struct, frozen=True, kw_only=True):
    """Numbers of letters, and those that failed again at once."""

    redriven: int
    nothing_to_do: int
    taken: int
    failed: list[Failed]


def redrive(
    letter: Annotated[str | None, typer.Argument(metavar="LETTER", help="This one, as it is listed.")] = None,
    *,
    kind: Kind = None,
    step: Step = None,
    shop: Shop = None,
    promotion: Promotion = None,
    older_than: OlderThan = None,
    newer_than: NewerThan = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be redriven.")] = False,
    rate: Annotated[float, typer.Option(min=0.01, max=1_000, help="How many a second at most.")] = 10,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Try again the LETTER, or all that fit the filters, the oldest first; one of the two is due.

    A message goes back to its queue unaltered, a parked reward into the due index. What was done, cancelled or returned
    meanwhile stays as it is: redriving is always safe. A message that fails once more has a new letter, which says how
    often it was redriven. Status 1 if something could not be sent or failed at once; its letter stays open.
    """
    filters = [each for each in (kind, step, shop, promotion, older_than, newer_than) if each is not None]
    if letter is None and not filters:
        raise typer.BadParameter("say which: a letter, or by --kind, --step, --shop, --promotion or an age")
    if letter is not None and filters:
        raise typer.BadParameter("a LETTER is one letter: it goes with no filter")
    stack = connect(aws=aws)
    meant = selection(
        kind=kind, step=step, shop=shop, promotion=promotion, older_than=older_than, newer_than=newer_than,
        now=clock.now(stack),
    )  # fmt: skip
    letters = kept_letters(stack)
    chosen = [filed(letter, letters)] if letter is not None else list(letters.open(meant))
    if dry_run:
        found = heaps(each for each in chosen if not each.redriven_at)
        if as_json:
            print_json({"would_be_redriven": found})
        else:
            foretell(found, stack.zone)
        return
    names = [each.name for each in chosen]
    replay = Replay(stack, by=stack.operator)
    tried = each_of(
        names, letters, replay, pace=Pace(rate), by=stack.operator, clock=lambda: clock.now(stack)
    )  # fmt: skip
    done = summed_up(shown(tried, of=len(chosen)))
    if as_json:
        print_json(done)
    else:
        _tell(done)
    if done.failed:
        raise typer.Exit(1)


def foretell(found: list[Heap], zone: ZoneInfo) -> None:
    """What a dry run tells."""
    if not found:
        out.print("No letter would be redriven: none that is meant is open. `rewards dead-letters stats` tells of all.")
        return
    out.print(f"{counted(sum(heap.letters for heap in found), 'letter')} would be redriven:")
    print_heaps(found, zone)


def each_of(
    names: Iterable[str],
    letters: LetterFile,
    replay: Callable[[Letter], bool],
    *,
    pace: Pace,
    by: str,
    clock: Callable[[], datetime],
) -> Iterator[Tried]:
    """Redrive letter by letter. One that fails costs only itself."""
    for name in names:
        pace.wait()
        try:
            yield Tried(name, redrive_one(letters.whole(name), letters, replay, by=by, now=clock()))
        except FAILURES as failure:
            yield Tried(name, "failed", str(failure))


def redrive_one(
    letter: Letter, letters: LetterFile, replay: Callable[[Letter], bool], *, by: str, now: datetime
) -> What:
    """Claim the letter, replay it, close it: dying in between leaves it open, and at worst it is sent once more."""
    if not letters.claim(letter, now=now, until=now + CLAIMED_FOR):
        return "taken"
    try:
        is_sent = replay(letter)
    except BaseException:
        letters.let_go(letter)
        raise
    letters.close(letter, by=by, at=now)
    return "redriven" if is_sent else "nothing to do"


def summed_up(tried: Iterable[Tried]) -> Redriven:
    all_tried = list(tried)
    numbers = [each.what for each in all_tried]
    return Redriven(
        redriven=numbers.count("redriven"),
        nothing_to_do=numbers.count("nothing to do"),
        taken=numbers.count("taken"),
        failed=[Failed(each.name, each.problem) for each in all_tried if each.what == "failed"],
    )


def shown(tried: Iterable[Tried], *, of: int) -> Iterator[Tried]:
    """How far it is, while it lasts; where that goes to a file, a line now and then."""
    with err.status("Redriving") as status:
        for number, each in enumerate(tried, start=1):
            status.update(f"Redriving: {number:,} of {of:,}")
            if not err.is_terminal and number % TOLD_EVERY == 0:
                err.print(f"Redriving: {number:,} of {of:,}")
            if each.what == "failed":
                err.print(f"[red]✗[/] {plain(each.name)}: {plain(each.problem)}")
            yield each


def _tell(done: Redriven) -> None:
    words = [f"{done.redriven:,} redriven", f"{len(done.failed):,} failed again"]
    if done.nothing_to_do:
        words.append(f"{done.nothing_to_do:,} with nothing left to do")
    if done.taken:
        words.append(f"{done.taken:,} in other hands or redriven before")
    out.print(", ".join(words) + ".")
