"""Money as it comes in: a decimal string and its currency. A number is refused, since JSON's are binary."""

import re
from decimal import Decimal

from rewards.errors import Invalid, shown

_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?", re.ASCII)
"""Twelve digits keep the points of the largest order within 64 bits; six places are more than any currency has."""

_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)


def amount(value: object, field: str) -> Decimal:
    """A sum of money, zero or more, exactly as written: no sign, exponent, separator or space. Raises `Invalid`."""
    if not isinstance(value, str):
        raise Invalid(field, f"{shown(value)} is not a decimal string")
    if not _DECIMAL.fullmatch(value):
        raise Invalid(field, f"{shown(value)} is not a decimal string (12 digits, 6 places at most)")
    return Decimal(value)


def currency(value: object, field: str) -> str:
    """An ISO 4217 code, by its form: the list of codes is not ours to keep. Raises `Invalid`."""
    if not isinstance(value, str) or not _CURRENCY.fullmatch(value):
        raise Invalid(field, f"{shown(value)} is not a currency code like 'TWD'")
    return value
