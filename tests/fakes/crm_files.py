"""The bucket of the shops' files, in memory."""

from hashlib import md5
from io import BufferedReader, BytesIO

from rewards.crm_files import CrmFile, Replaced, Summary
from rewards.crm_orders import Reject


class MemoryFiles:
    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.summaries: dict[str, Summary] = {}
        self.rejects: dict[str, list[Reject]] = {}

    def put(self, key: str, content: bytes) -> CrmFile:
        self.contents[key] = content
        return self._file(key)

    def folders(self, prefix: str) -> list[str]:
        inside = [key.removeprefix(prefix) for key in self.contents if key.startswith(prefix)]
        return sorted({name.split("/")[0] for name in inside if "/" in name})

    def files(self, folder: str) -> list[CrmFile]:
        inside = [key for key in self.contents if key.startswith(folder) and "/" not in key.removeprefix(folder)]
        return [*map(self._file, inside), *(CrmFile(key, "summary", 1) for key in self.summaries)]

    def summary(self, file: CrmFile) -> Summary | None:
        return self.summaries.get(file.summary_key)

    def open(self, file: CrmFile, start: int) -> BufferedReader:
        if file.key not in self.contents or self._file(file.key) != file:
            raise Replaced(file.key)
        return BufferedReader(BytesIO(self.contents[file.key][start:]))

    def write_summary(self, file: CrmFile, summary: Summary) -> None:
        self.summaries[file.summary_key] = summary

    def write_rejects(self, key: str, rejects: list[Reject]) -> None:
        self.rejects[key] = rejects

    def _file(self, key: str) -> CrmFile:
        content = self.contents[key]
        return CrmFile(key, md5(content, usedforsecurity=False).hexdigest(), len(content))
