"""A JSON object being read: it knows its own path, so that every refusal says where in the message it lies.

A field that is null counts as absent. Fields nobody asks for are ignored.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

import msgspec

from rewards import identifiers, money, times
from rewards.errors import Invalid, TooNew, shown

Word = TypeVar("Word", bound=str)


def decoded(body: str | bytes, *, below: int) -> object:
    """The JSON value in `body`, which must be shorter than `below` bytes. Raises `Invalid`."""
    try:
        raw = body.encode() if isinstance(body, str) else body
        if len(raw) >= below:
            raise Invalid("", f"is {len(raw):,} bytes long and must be under {below:,}")
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Invalid("", f"is not JSON: {error}") from None


class Fields:
    """The fields of one JSON object; `path` leads to it from the message's root."""

    def __init__(self, value: object, path: str = "") -> None:
        if not isinstance(value, dict):
            raise Invalid(path, f"{shown(value)} is not an object")
        self._values: dict[str, object] = value
        self._path = path

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def path(self, name: str) -> str:
        """The path to a field of this object, there or not."""
        return f"{self._path}.{name}" if self._path else name

    def value(self, name: str) -> object:
        """What stands there; a field that is missing is refused, as it is by every reader below."""
        if name not in self:
            raise Invalid(self.path(name), "is missing")
        return self._values[name]

    def identifier(self, name: str) -> str:
        return identifiers.identifier(self.value(name), self.path(name))

    def text(self, name: str, longest: int = 300) -> str:
        """A name or code that is no key's part: mapped like an identifier, and allowed to be longer."""
        return identifiers.identifier(self.value(name), self.path(name), longest)

    def texts(self, name: str, most: int) -> tuple[str, ...]:
        """A list of such texts; none if the field is absent."""
        return tuple(identifiers.identifier(value, path, longest=300) for path, value in self._items(name, 0, most))

    def member(self, name: str) -> str | None:
        return identifiers.member(self._values.get(name), self.path(name))

    def choice(self, name: str, choices: Sequence[Word], default: Word | None = None) -> Word:
        """One of the `choices`; without a default the field must be there."""
        if default is not None and name not in self:
            return default
        value = self.value(name)
        for choice in choices:
            if value == choice:
                return choice
        raise Invalid(self.path(name), f"{shown(value)} is not one of {', '.join(choices)}")

    def flag(self, name: str) -> bool:
        """True or false; false if the field is absent."""
        value = self.value(name) if name in self else False
        if type(value) is not bool:
            raise Invalid(self.path(name), f"{shown(value)} is neither true nor false")
        return value

    def whole(self, name: str, least: int, most: int) -> int:
        """A whole number from `least` to `most`; 2.0, "2" and true are none."""
        value = self.value(name)
        if type(value) is not int:
            raise Invalid(self.path(name), f"{shown(value)} is not a whole number")
        if not least <= value <= most:
            raise Invalid(self.path(name), f"{shown(value)} is not between {least:,} and {most:,}")
        return value

    def amount(self, name: str) -> Decimal:
        return money.amount(self.value(name), self.path(name))

    def currency(self, name: str) -> str:
        return money.currency(self.value(name), self.path(name))

    def instant(self, name: str) -> datetime:
        return times.instant(self.value(name), self.path(name))

    def nested(self, name: str) -> "Fields":
        return Fields(self.value(name), self.path(name))

    def each(self, name: str, least: int, most: int) -> list["Fields"]:
        return [Fields(value, path) for path, value in self._items(name, least, most)]

    def only(self, *names: str) -> None:
        """Refuses any other field: for what people write by hand, where a misspelt one would be lost in silence."""
        for name in self._values:
            if name not in names:
                raise Invalid(self.path(name), f"is none of the fields here: {', '.join(names)}")

    def check_version(self, known: int) -> None:
        """Raises `TooNew` for a message version, `v`, above `known`; a message without one is version 1."""
        if "v" in self and self.whole("v", 1, 2**31) > known:
            raise TooNew(self.whole("v", 1, 2**31), known)

    def _items(self, name: str, least: int, most: int) -> list[tuple[str, object]]:
        values = self._values.get(name) if least == 0 else self.value(name)
        if values is None:
            return []
        if not isinstance(values, list):
            raise Invalid(self.path(name), f"{shown(values)} is not a list")
        if not least <= len(values) <= most:
            raise Invalid(self.path(name), f"has {len(values)} items, not {least} to {most}")
        return [(f"{self.path(name)}[{position}]", value) for position, value in enumerate(values)]
