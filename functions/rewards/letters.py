"""Dead letters: what could not be worked on, kept for good with all that a person or a redrive needs."""

import re
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

LETTER_VERSION = 1

TIMES_REDRIVEN = "times_redriven"
"""The attribute that says how often a message was sent again by hand. An event names it among its resources."""

_TIMES = re.compile(r"[0-9]{1,6}")

FailureKind = Literal["invalid", "refused", "expired", "exhausted", "crashed"]


class Letter(Struct, frozen=True, kw_only=True, tag_field="type", tag="Letter"):
    """A message that failed for good, its body unaltered.

    `step` is who gave it up or, where AWS did, the name of what it was on its way through; `source` is that one's ARN.
    Of a reward that was parked it is the ledger, and the body a task that names the row (see `parking`).
    However often a letter is made of one message, record or row, `id` and `first_failed_at` stay the same; only the
    embedded cloud's clock, moved in between, gives another.
    """

    id: str
    kind: FailureKind
    step: str
    source: str
    body: str
    attributes: dict[str, str] = {}
    attempts: int
    error: str | None = None
    first_failed_at: datetime
    failed_at: datetime
    service_version: str
    shop_id: str | None = None
    order_group: str | None = None
    promotion_id: str | None = None
    v: int = LETTER_VERSION

    @property
    def day(self) -> str:
        """The UTC date it is filed under."""
        return self.first_failed_at.astimezone(UTC).date().isoformat()

    @property
    def name(self) -> str:
        """What an operator calls it by."""
        return f"{self.day}/{self.id}"

    @property
    def times_redriven(self) -> int:
        """How often what it is about was tried again before it was given up once more."""
        return times_told(self.attributes.get(TIMES_REDRIVEN))

    def of_step(self, step: str) -> "Letter":
        """The same letter under the step's own name, where AWS knows only what carried the message."""
        return replace(self, step=step)


def content_of(body: str) -> dict[str, Any]:
    """The JSON object in a body; nothing when it is something else."""
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def times_told(told: str | None) -> int:
    """A count in an attribute; none where it is no number, since anyone who may send can write there."""
    return int(told) if told and _TIMES.fullmatch(told) else 0


def name_in(arn: str) -> str:
    """The last name in an ARN: of a queue, rule, schedule or function, without a function's version.

    What is no ARN is a name itself.
    """
    return arn.split(":", 5)[-1].removeprefix("function:").split(":")[0].rsplit("/", 1)[-1] or arn
