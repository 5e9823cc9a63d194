"""Lists of rewards in memory."""

from rewards.tasks import Group


class MemoryLists:
    def __init__(self) -> None:
        self.stored: dict[str, Group] = {}

    def write(self, key: str, group: Group) -> None:
        self.stored[key] = group

    def read(self, key: str) -> Group:
        return self.stored[key]
