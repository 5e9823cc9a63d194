"""`rewards send`: order events from a file onto the orders bus."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ops.stack import connect
from ops.terminal import Aws, Json, counted, err, out, plain, print_json
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
BYTES_AT_ONCE = 256 * 1024
"""What the events of one request stay under together, counted as EventBridge counts; it has been its limit longest."""

TRIES = 5
SOURCE = "rewards.send"


class Refused(NamedTuple):
    """An event that was not sent: where in the file it stands, the field, and what is wrong with it."""

    line: int
    field: str
    problem: str


def send(
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="JSON lines, one JSON array, or one event.")
    ],
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
        out.print(f"{counted(len(good), 'event')} sent to {plain(stack['OrdersBusName'])}.")
        for each in refused:
            where = f"{plain(each.field)}: " if each.field else ""
            err.print(f"[red]✗[/] line {each.line}: {where}{plain(each.problem)}")
    if refused:
        raise typer.Exit(1)


def read(file: Path) -> Iterator[tuple[int, object]]:
    """The values in the file, each with the number of its line (in an array: its place)."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Trouble(f"{file} is not text in UTF-8.") from None
    if not text.strip():
        raise Trouble(f"{file} is empty. Nothing was sent.")
    values = loaded(text)
    if text.lstrip().startswith("["):
        if isinstance(values, NotJson):
            raise Trouble(f"{file} is not JSON: {values}. Nothing was sent.")
        yield from enumerate(values, start=1)
        return
    if isinstance(values, dict):  # one event, over as many lines as it likes
        yield 1, values
        return
    for number, line in enumerate(text.split("\n"), start=1):  # texts may hold the other line ends of Unicode
        if line.strip():
            yield number, loaded(line)


def loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        return NotJson(str(error))
    except RecursionError:
        return NotJson("it is nested too deeply")


class NotJson(str):
    """Stands for JSON that could not be read: why."""


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
        reader(dumped({"detail-type": value["detail-type"], "detail": value.get("detail")}))
    except RecursionError:
        return "detail", "is nested too deeply"
    except Invalid as invalid:
        return "detail" if invalid.field in ("", "detail") else f"detail.{invalid.field}", invalid.problem
    except RewardsError as error:
        return "detail.v", str(error)
    return None


def dumped(value: object) -> str:
    """JSON as it is sent, and therefore as it is measured: a letter of Chinese is three bytes, not six."""
    return json.dumps(value, ensure_ascii=False)


def put(events: list[Any], client: "EventBridgeClient", bus: str) -> None:
    """PutEvents. It answers 200 with the entries that failed among the rest: those are sent again."""
    for entries in requests(events, bus):
        for _ in range(TRIES):
            answers = client.put_events(Entries=entries)["Entries"]
            entries = [entry for entry, answer in zip(entries, answers, strict=True) if "ErrorCode" in answer]
            if not entries:
                break
        else:
            raise Trouble(
                f"The bus {bus} did not take {counted(len(entries), 'event')} ({answers[0].get('ErrorMessage')})."
            )


def requests(events: list[Any], bus: str) -> Iterator[list[Any]]:
    """The entries by request: ten at most, and no more bytes than one takes unless it is a single event."""
    together: list[Any] = []
    size = 0
    for event in events:
        sent = {"Source": SOURCE, "DetailType": event["detail-type"], "Detail": dumped(event["detail"])}
        more = sum(len(text.encode()) for text in sent.values())
        if together and (len(together) == ENTRIES_AT_ONCE or size + more >= BYTES_AT_ONCE):
            yield together
            together, size = [], 0
        together.append({"EventBusName": bus, **sent})
        size += more
    if together:
        yield together
