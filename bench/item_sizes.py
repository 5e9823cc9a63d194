"""How large DynamoDB takes an item to be, and what reading or writing it is billed at.

Names and values by their UTF-8 bytes, two digits of a number a byte and one more, three bytes for a list or map and
one for each of its elements. A write takes a unit for each KB begun of the larger of the item before and after, also
where its condition fails; a strongly consistent read one for each 4 KB begun, another read half of it.

- https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
- https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from collections.abc import Mapping
from typing import Any

WRITE_UNIT = 1024
READ_UNIT = 4096


def item_bytes(item: Mapping[str, Any]) -> int:
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def write_units(size: int) -> int:
    """For an item of so many bytes: of the larger one, where it replaces another."""
    return max(1, -(-size // WRITE_UNIT))


def read_units(size: int, *, is_consistent: bool) -> float:
    """For so many bytes that one request read: an item, or all items of a page together."""
    return max(1, -(-size // READ_UNIT)) * (1 if is_consistent else 0.5)


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, of),) = value.items()
    match kind:
        case "S":
            return len(of.encode())
        case "N":
            return _number_bytes(of)
        case "BOOL" | "NULL":
            return 1
        case "M":
            return 3 + len(of) + item_bytes(of)
        case "L":
            return 3 + len(of) + sum(map(_value_bytes, of))
    raise TypeError(f"{kind} is not used here")


def _number_bytes(number: str) -> int:
    digits = number.lstrip("-").replace(".", "").strip("0")
    return -(-len(digits) // 2) + 1 + number.startswith("-")
