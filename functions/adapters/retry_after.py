"""The header Retry-After: seconds, or a date (RFC 9110, 10.2.3)."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime


def retry_after(header: str | None, now: datetime) -> timedelta | None:
    """How long to wait; None where the header does not say, or makes no sense. A date that is past is no wait."""
    if header is None:
        return None
    try:
        if header.isascii() and header.isdigit():
            return timedelta(seconds=int(header))
        date = parsedate_to_datetime(header).replace(tzinfo=UTC)  # always GMT, whatever it says
    except (ValueError, OverflowError):
        return None
    return max(date - now, timedelta())
