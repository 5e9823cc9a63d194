"""`rewards send`: order events from a file onto the orders bus."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.markup import escape

from ops.stack import connect
from ops.terminal import Aws, Json, err, out, print_json
from ops.trouble import Trouble
from rewards.errors import Invalid, RewardsError, shown
from rewards.events import (
    parse_order_placed,
    parse_order_shipped,
    parse_payment_completed,
    parse_reverse_event,
)

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient

READERS: dict[str, Callable[[str], object]] = {
    "OrderPlaced": parse_order_placed,
    "PaymentCompleted": parse_payment_completed,
    "OrderShipped": parse_order_shipped,
    "PaymentFailed": parse_reverse_event,
    "OrderCancelled": parse_reverse_event,
    "OrderReturned": parse_reverse_event,
}
ENTRIES_AT_ONCE = 10
TRIES = 5
SOURCE = "rewards.send"


class Refused(NamedTuple):
    """An event that was not sent: where in the file it stands, the field, and what is wrong with it."""

    line: int
    field: str
    problem: str


def send(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSON lines, or one JSON array.")],
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Check the order events in FILE and send the good ones to the orders bus.

    An event is {"detail-type": "PaymentCompleted", "detail": {…}}. A bad one is named with its line, the field and
    the problem, and makes the status 1; the good ones go in all the same. Sending a file twice changes nothing.
    """
    good: list[Any] = []
    refused: list[Refused] = []
    for line, value in read(file):
        problem = problem_of(value)
        if problem:
            refused.append(Refused(line, *problem))
        else:
            good.append(value)
    stack = connect(aws=aws)
    put(good, stack.events, stack["OrdersBusName"])
    if as_json:
        print_json({"sent": len(good), "refused": [each._asdict() for each in refused]})
    else:
        out.print(f"{len(good):,} events sent to {stack['OrdersBusName']}.")
        for each in refused:
            where = f"{escape(each.field)}: " if each.field else ""
            err.print(f"[red]✗[/] line {each.line}: {where}{escape(each.problem)}")
    if refused:
        raise typer.Exit(1)


def read(file: Path) -> Iterator[tuple[int, object]]:
    """The values in the file, each with the number of its line (in an array: its place)."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Trouble(f"{file} is not text in UTF-8.") from None
    if text.lstrip().startswith("["):
        try:
            yield from enumerate(json.loads(text), start=1)
        except ValueError as error:
            raise Trouble(f"{file} is not JSON: {error}.") from None
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                yield number, NotJson(str(error))


class NotJson(str):
    """Stands for a line that could not be read: why."""


def problem_of(value: object) -> tuple[str, str] | None:
    """The field and the problem, by the very rules of the steps that will read the event; None if it is good."""
    if isinstance(value, NotJson):
        return "", f"is not JSON: {value}"
    if not isinstance(value, dict):
        return "", f"{shown(value)} is not an object"
    reader = READERS.get(str(value.get("detail-type")))
    if reader is None:
        return "detail-type", f"{shown(value.get('detail-type'))} is not one of {', '.join(READERS)}"
    try:
        reader(json.dumps(value))
    except Invalid as invalid:
        return f"detail.{invalid.field}" if invalid.field else "detail", invalid.problem
    except RewardsError as error:
        return "detail.v", str(error)
    return None


def put(events: list[Any], client: "EventBridgeClient", bus: str) -> None:
    """PutEvents in tens. It answers 200 with the entries that failed among the rest: those are sent again."""
    for start in range(0, len(events), ENTRIES_AT_ONCE):
        entries: Any = [
            {
                "EventBusName": bus,
                "Source": SOURCE,
                "DetailType": event["detail-type"],
                "Detail": json.dumps(event["detail"], ensure_ascii=False),
            }
            for event in events[start : start + ENTRIES_AT_ONCE]
        ]
        for _ in range(TRIES):
            answers = client.put_events(Entries=entries)["Entries"]
            entries = [entry for entry, answer in zip(entries, answers, strict=True) if "ErrorCode" in answer]
            if not entries:
                break
        else:
            raise Trouble(f"The bus {bus} did not take {len(entries)} events ({answers[0].get('ErrorMessage')}).")
