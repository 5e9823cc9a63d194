"""Instants as they come in: RFC 3339 with an offset. One without could be anywhere, so it is refused."""

import re
from datetime import UTC, datetime

from rewards.errors import Invalid, shown

_RFC_3339 = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[Tt](?P<time>([01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?P<fraction>\.\d+)?"
    r"(?P<offset>[Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)


def instant(value: object, field: str) -> datetime:
    """The instant in UTC, cut to the microsecond (.NET writes seven places). Raises `Invalid`."""
    form = _RFC_3339.fullmatch(value) if isinstance(value, str) else None
    if form is None:
        raise Invalid(field, f"{shown(value)} is not a time with an offset, like '2026-11-30T16:00:00+08:00'")
    fraction = (form["fraction"] or ".")[:7].ljust(7, "0")
    try:
        local = datetime.fromisoformat(f"{form['date']}T{form['time']}{fraction}{form['offset'].upper()}")
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid(field, f"{shown(value)} is not in the calendar") from None
