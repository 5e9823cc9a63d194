"""What was given up, as a dead letter.

A step that gives a message up sends the letter itself, since only it knows what went wrong. What the code could not
catch - a crash, a timeout, a target nobody could reach - AWS puts into a dead-letter queue, in a shape that depends on
who gave up; `letter_in` makes a letter of each.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from rewards import __version__
from rewards.due import is_sort_key, parse
from rewards.errors import TooNew, shown
from rewards.events import EVENT_KINDS
from rewards.letters import LETTER_VERSION, TIMES_REDRIVEN, FailureKind, Letter, content_of, name_in, times_told
from rewards.messages import Message

ID_LONGEST = 200
"""Bytes; ours are those of messages and digests."""

_REDRIVEN = re.compile(rf"{TIMES_REDRIVEN}/([0-9]{{1,6}})")


def parked(message: Message, kind: FailureKind, error: Exception, *, step: str, now: datetime) -> Letter:
    """The letter of a step that gives a message up."""
    crash = _crash(message, content_of(message.body), now)
    return replace(crash, kind=kind, step=step, error=f"{type(error).__name__}: {error}")


def letter_in(message: Message, *, now: datetime) -> Letter:
    """The letter that a message in a dead-letter queue is, or stands for.

    Raises `TooNew` for a letter that a newer version of this code wrote.
    """
    content = content_of(message.body)
    crash = _crash(message, content, now)
    return (
        _opened(message.body, content)
        or _undelivered(crash)
        or _unanswered(crash, content)
        or _unknown_event(crash, content)
        or crash
    )


def _opened(body: str, content: Mapping[str, Any]) -> Letter | None:
    """The letter that a step sent; None for what is no letter, or says so and is none."""
    match content:
        case {"type": "Letter", "v": int(v)} if v > LETTER_VERSION:
            raise TooNew(v, LETTER_VERSION)
        case {"type": "Letter"}:
            try:
                letter = msgspec.json.decode(body, type=Letter)
                return letter if _can_be_filed(letter) else None
            except (ValueError, OverflowError):
                return None
    return None


def _can_be_filed(letter: Letter) -> bool:
    """Whether it can be kept under its name and its time, and found again by them."""
    has_names = letter.step != "" and 0 < len(letter.id.encode()) <= ID_LONGEST
    return has_names and 1970 < letter.first_failed_at.year < 9999


def _crash(message: Message, content: Mapping[str, Any], now: datetime) -> Letter:
    """What SQS moved here after too many deliveries: it does not say why."""
    shop_id, order_group, promotion_id = _row_named_in(content)
    return Letter(
        id=message.id,
        kind="crashed",
        step=name_in(message.source),
        source=message.source,
        body=message.body,
        attributes=message.attributes | _redriven_by_bus(content),
        attempts=message.attempts,
        first_failed_at=message.first_received_at,
        failed_at=now,
        service_version=__version__,
        shop_id=shop_id,
        order_group=order_group,
        promotion_id=promotion_id,
    )


def _undelivered(crash: Letter) -> Letter | None:
    """What a rule or a schedule could not hand to its target, and its reason in the attributes."""
    told = crash.attributes
    if "ERROR_CODE" not in told:
        return None
    source = told.get("RULE_ARN") or told.get("SCHEDULE_ARN") or crash.source
    return replace(
        crash,
        step=name_in(told.get("TARGET_ARN") or source),
        source=source,
        attempts=times_told(told.get("RETRY_ATTEMPTS")) + 1,
        error=f"{told['ERROR_CODE']}: {told.get('ERROR_MESSAGE', '')}",
    )


def _unanswered(crash: Letter, content: Mapping[str, Any]) -> Letter | None:
    """What an asynchronous function failed at: Lambda wraps its event together with its last error."""
    match content:
        case {"requestContext": {"functionArn": str(source), "approximateInvokeCount": int(attempts)}} if source:
            return replace(
                crash,
                step=name_in(source),
                source=source,
                attempts=attempts,
                error=_last_error(content),
            )
    return None


def _last_error(content: Mapping[str, Any]) -> str:
    """What the function raised; a call that was never made has only a condition, such as `EventAgeExceeded`."""
    match content:
        case {"responsePayload": {"errorMessage": text, **rest}}:
            return f"{rest.get('errorType', 'Error')}: {text}"
    return str(content["requestContext"].get("condition"))


def _unknown_event(crash: Letter, content: Mapping[str, Any]) -> Letter | None:
    """What came by the orders bus and no rule but the last one took."""
    match content:
        case {"detail-type": str(kind), "detail": _} if kind not in EVENT_KINDS:
            error = f"detail-type: {shown(kind)} is not one of {', '.join(EVENT_KINDS)}"
            return replace(crash, kind="invalid", step="orders_bus", error=error)
    return None


def _redriven_by_bus(content: Mapping[str, Any]) -> dict[str, str]:
    """An event has no attributes: one that was put on the bus again says so in the last of its resources."""
    match content:
        case {"detail-type": _, "resources": [*_, str(last)]} if told := _REDRIVEN.fullmatch(last):
            return {TIMES_REDRIVEN: told[1]}
    return {}


def _row_named_in(content: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    """Shop, order group and promotion of the one reward or order a message is about, as far as it names them."""
    match content:
        case {"detail": {"shop_id": str(shop), "order_group": str(order)}}:
            return shop, order, None
        case {"shop_id": str(shop), "orders": [{"order_group": str(order)}]}:
            return shop, order, None
        case {"groups": [{"shop_id": str(shop), "promotion_id": str(promotion), "orders": [str(order)]}]}:
            return shop, order, promotion
        case {"keys": [str(key)]} if is_sort_key(key):
            row = parse(key)
            return row.shop_id, row.order_group, row.promotion_id
    return None, None, None
