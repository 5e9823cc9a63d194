"""The files of shops: where they put them, and what the import lays beside each.

    crm/<shop>/<date>/<name>.csv                                 what the shop's tills sold and took back
    crm/<shop>/<date>/<name>.csv.summary.json                    what came of it, once it was read to its end
    crm/<shop>/<date>/rejects/<name>.csv/<etag>/<line>.jsonl     the rows that were set aside

A file is done with when its summary names its ETag: one that is put there again, corrected, is read again.
"""

import re
from collections.abc import Iterator
from io import BufferedReader
from typing import Protocol

from msgspec import Struct

from rewards.crm_orders import Reject

ROOT = "crm/"
FOLDERS = 31
SUMMARY = ".summary.json"

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class CrmFile(Struct, frozen=True):
    """One version of a file."""

    key: str
    etag: str
    size: int

    @property
    def name(self) -> str:
        return self.key.rsplit("/", 1)[1]

    @property
    def summary_key(self) -> str:
        return self.key + SUMMARY

    @property
    def rejects_folder(self) -> str:
        folder = self.key.removesuffix(self.name)
        return f"{folder}rejects/{self.name}/{self.etag}/"


class Counts(Struct, frozen=True):
    """Rows of a file, as its summary has them: `read` is the sum of the others. Skipped rows say nothing."""

    read: int = 0
    accepted: int = 0
    skipped: int = 0
    rejected: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.read + other.read,
            self.accepted + other.accepted,
            self.skipped + other.skipped,
            self.rejected + other.rejected,
        )


class Summary(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What came of a file: its rows, the folder of those that were rejected, and why it was not read, or not on."""

    file: str
    etag: str
    read: int
    accepted: int
    skipped: int
    rejected: int
    rejects: str | None = None
    refused: str | None = None


class Replaced(Exception):
    """The file is gone, or is another one by now."""


class Files(Protocol):
    """The bucket that shops put their files into."""

    def folders(self, prefix: str) -> list[str]:
        """The names of the folders in one."""

    def files(self, folder: str) -> list[CrmFile]:
        """Everything that lies in a folder itself."""

    def summary(self, file: CrmFile) -> Summary | None: ...

    def open(self, file: CrmFile, start: int) -> BufferedReader:
        """The file from this byte on. Raises `Replaced` if it is not that version any more."""

    def write_summary(self, file: CrmFile, summary: Summary) -> None: ...

    def write_rejects(self, key: str, rejects: list[Reject]) -> None: ...


def shops(files: Files) -> list[str]:
    """Every shop that has a folder."""
    return files.folders(ROOT)


def uncovered(shop: str, files: Files) -> Iterator[CrmFile]:
    """The files in the shop's last date folders that no summary covers: new ones, late ones and corrected ones."""
    dates = sorted(name for name in files.folders(f"{ROOT}{shop}/") if _DATE.fullmatch(name))
    for date in dates[-FOLDERS:]:
        found = files.files(f"{ROOT}{shop}/{date}/")
        keys = {file.key for file in found}
        for file in found:
            if not file.key.endswith(SUMMARY) and not (file.summary_key in keys and _is_covered(file, files)):
                yield file


def _is_covered(file: CrmFile, files: Files) -> bool:
    summary = files.summary(file)
    return summary is not None and summary.etag == file.etag
