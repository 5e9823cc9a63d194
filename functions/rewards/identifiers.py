"""Identifiers: the border they cross once, and the keys they are joined into.

An identifier is opaque: `007` is not `7`, `Ａ１` is `A1`, and `²` stays `²` (no NFKC: it would make it `2` and merge
two members). At the border full-width ASCII and the ideographic space become ASCII and the ends are trimmed; inside,
an identifier is never changed again.
"""

from rewards.errors import Invalid, shown

LONGEST = 100
"""Bytes of UTF-8 in an identifier (contract)."""

GUESTS = ("", "0")
"""What stands in `member_id` for a customer without membership, beside null and nothing at all."""

_NO_QUEUE_CARRIES = {"\ufffe", "\uffff"}
"""SQS takes the characters of XML 1.0: JSON escapes all others it lacks, but not these."""

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


def identifier(value: object, field: str, longest: int = LONGEST) -> str:
    """`value` as it crosses the border; `longest` bytes at most. Raises `Invalid`."""
    text = mapped(value, field)
    if not text:
        raise Invalid(field, "is empty")
    if not _NO_QUEUE_CARRIES.isdisjoint(text):
        raise Invalid(field, f"{shown(text)} holds a character that no queue carries")
    if _size(text, field) > longest:
        raise Invalid(field, f"{shown(text)} is longer than {longest} bytes")
    return text


def member(value: object, field: str) -> str | None:
    """A member's identifier, or None for a guest: guests are many people and never one member."""
    if value is None or mapped(value, field) in GUESTS:
        return None
    return identifier(value, field)


def mapped(value: object, field: str) -> str:
    """`value` with full-width ASCII and spaces as ASCII, and its ends trimmed. Raises `Invalid` if it is no text."""
    if not isinstance(value, str):
        raise Invalid(field, f"{shown(value)} is not a string")
    return (value if value.isascii() else value.translate(_FULL_WIDTH)).strip()


def escape(identifier: str) -> str:
    """The identifier as it stands inside a key: without a `#`, and different for different identifiers.

    As in a JSON pointer (RFC 6901): `~` is `~0`, the delimiter is `~1`. Nothing grows to more than twice its length,
    so that the four identifiers of a due key always fit the 1,024 bytes of a sort key.
    """
    return identifier.replace("~", "~0").replace("#", "~1")


def unescape(part: str) -> str:
    """The identifier that `escape` made `part` of."""
    return part.replace("~1", "#").replace("~0", "~")


def join(*identifiers: str) -> str:
    """One key of several identifiers; what shares the first ones sorts together."""
    key = "#".join(identifiers)
    if "~" not in key and key.count("#") == len(identifiers) - 1:  # as nearly always: there is nothing to escape
        return key
    return "#".join(map(escape, identifiers))


def split(key: str) -> tuple[str, ...]:
    """The identifiers that `join` made `key` of."""
    parts = key.split("#")
    return tuple(map(unescape, parts)) if "~" in key else tuple(parts)


def _size(text: str, field: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise Invalid(field, f"{shown(text)} is not text: it holds half a character") from None
