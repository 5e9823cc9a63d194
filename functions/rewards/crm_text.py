"""The text of a shop's file: which encoding it has, and its lines with the byte at which each begins.

No byte of a character of several bytes in UTF-8 or cp950 is a line feed, so lines are cut before they are decoded. A
place in the file is then a number of bytes, exact in both encodings, and reading can go on from it.
"""

import codecs
from collections.abc import Iterable, Iterator
from io import BufferedReader
from typing import Literal

from rewards.errors import RewardsError

Encoding = Literal["utf-8", "cp950"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "cp950")
"""In the order they are tried. cp950 is what Windows in Taiwan writes; `big5` lacks characters of it."""

LINE_BYTES = 1024 * 1024
_BOM = "\ufeff"


class Refused(RewardsError):
    """A file that cannot be read, or not any further: why, in words for whoever made it."""


def encoding_of(chunks: Iterable[bytes]) -> Encoding:
    """The first encoding that the whole file is valid in. Raises `Refused` if it is in none."""
    decoders = {encoding: codecs.getincrementaldecoder(encoding)("strict") for encoding in ENCODINGS}
    for chunk in chunks:
        decoders = {encoding: decoder for encoding, decoder in decoders.items() if _takes(decoder, chunk)}
    for encoding, decoder in decoders.items():
        if _takes(decoder, b"", final=True):
            return encoding
    raise Refused("is neither UTF-8 nor cp950")


class Lines:
    """The lines of a file, each with its line feed, from the byte `start` on, where the line `number` ended.

    `start` and `number` move on with what was read. A byte order mark is left out, also where files were put together.
    """

    def __init__(self, file: BufferedReader, encoding: Encoding, *, start: int = 0, number: int = 0) -> None:
        self._file = file
        self._encoding = encoding
        self.start = start
        self.number = number

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(LINE_BYTES):
            if len(line) == LINE_BYTES:
                raise Refused(f"line {self.number + 1} is longer than {LINE_BYTES:,} bytes")
            self.start += len(line)
            self.number += 1
            yield line.decode(self._encoding).removeprefix(_BOM)


def _takes(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True
