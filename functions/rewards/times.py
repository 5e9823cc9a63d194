"""Instants as they come in: RFC 3339 with an offset. One without could be anywhere, so it is refused."""

import re
from datetime import UTC, datetime

from rewards.errors import Invalid, shown

_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)", re.ASCII
)


def instant(value: object, field: str) -> datetime:
    """The instant in UTC, cut to the microsecond (.NET writes seven places). Raises `Invalid`."""
    if not isinstance(value, str) or not _RFC_3339.fullmatch(value):
        raise Invalid(field, f"{shown(value)} is not a time with an offset, like '2026-11-30T16:00:00+08:00'")
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid(field, f"{shown(value)} is not in the calendar") from None
