"""Replaying: the way back of what was given up, told by its letter alone.

    letter of                         goes back
    ├── a reward that was parked      into the due index, by its row (see `redriving`)
    ├── a message of a work queue     into that queue, body unaltered
    ├── what a rule or a schedule     to the target that was not reached: a queue, or a function
    │   could not deliver
    ├── an asynchronous call          to the function, with the event it was called with
    ├── a record of a stream          to its reader, as a batch of one
    └── an event nobody took          onto the bus, for the rules that there are by now

Whatever it is may come late or twice, and every step can bear that: nothing here asks whether there is anything left to
do. How often it was redriven travels beside the body, and is told when it is given up again.
"""

from collections.abc import Container
from typing import Any

import msgspec
from msgspec import Struct

from rewards.letters import TIMES_REDRIVEN, Letter, content_of, name_in
from rewards.parking import SOURCE
from rewards.reward import RewardId

OF_A_RULE = "ERROR_CODE"
"""An attribute of what a rule or a schedule could not deliver; with it go others, none of them the sender's."""


class NoWayBackError(Exception):
    """The letter does not say where what it holds could be sent."""


class ToRow(Struct, frozen=True):
    """Put the reward back into the due index."""

    id: RewardId


class ToQueue(Struct, frozen=True):
    """Send the body to the queue of this name, with these attributes."""

    queue: str
    body: str
    attributes: dict[str, str]


class ToFunction(Struct, frozen=True):
    """Call the function of this ARN with the event."""

    arn: str
    event: msgspec.Raw


class ToBus(Struct, frozen=True):
    """Put the event, with the resources that it names, on the orders bus."""

    event: dict[str, Any]
    resources: list[str]


WayBack = ToRow | ToQueue | ToFunction | ToBus


class _Call(Struct, rename="camel"):
    request_payload: msgspec.Raw


def way_back(letter: Letter, work_queues: Container[str]) -> WayBack:
    """Where the letter's message goes. `work_queues` are the names of queues that a step drains.

    Raises `NoWayBackError`.
    """
    target = letter.attributes.get("TARGET_ARN", letter.source)
    if letter.source == SOURCE:
        return ToRow(_row_of(letter))
    if name_in(target) in work_queues:
        return ToQueue(name_in(target), letter.body, _attributes(letter))
    if ":lambda:" in target:
        return ToFunction(_without_version(target), _event_of(letter))
    event = content_of(letter.body)
    if "detail-type" in event and "detail" in event:
        told = event.get("resources")
        named = [each for each in told if isinstance(each, str)] if isinstance(told, list) else []
        others = [each for each in named if not each.startswith(f"{TIMES_REDRIVEN}/")]
        return ToBus(event, [*others, f"{TIMES_REDRIVEN}/{letter.times_redriven + 1}"])
    raise NoWayBackError(f"it came from {letter.source}, which is none of this stack's work queues or functions")


def _row_of(letter: Letter) -> RewardId:
    return RewardId(letter.shop_id or "", letter.order_group or "", letter.promotion_id or "")


def _attributes(letter: Letter) -> dict[str, str]:
    own = {} if OF_A_RULE in letter.attributes else letter.attributes
    return {**own, TIMES_REDRIVEN: str(letter.times_redriven + 1)}


def _event_of(letter: Letter) -> msgspec.Raw:
    """What the function was called with: the body, what Lambda wrapped, or the batch that the record was in."""
    content = content_of(letter.body)
    if "requestPayload" in content:
        return msgspec.json.decode(letter.body, type=_Call).request_payload
    if "dynamodb" in content:
        return msgspec.Raw(f'{{"Records":[{letter.body}]}}'.encode())
    return msgspec.Raw(letter.body.encode())


def _without_version(arn: str) -> str:
    """A call goes to the function as it is now, whichever version gave up."""
    return ":".join(arn.split(":")[:7])
