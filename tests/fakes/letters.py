"""Letters in memory, kept for good as in the bucket and the table."""

from collections.abc import Iterator
from datetime import datetime

from rewards.filing import Filed, Selection, sort_key
from rewards.letters import Letter


class MemoryLetters:
    def __init__(self) -> None:
        self._letters: dict[str, Letter] = {}
        self._claimed: dict[str, datetime] = {}
        self._redriven: dict[str, tuple[datetime, str]] = {}

    def keep(self, letter: Letter) -> None:
        self._letters[letter.name] = letter

    def whole(self, name: str) -> Letter:
        if name not in self._letters:
            raise LookupError(f"no letter {name}")
        return self._letters[name]

    def filed(self, letter: Letter) -> Filed:
        return self._filed(self.whole(letter.name))

    def open(self, selection: Selection, *, after: str | None = None) -> Iterator[Filed]:
        for filed in self._all():
            is_meant = filed.kind in selection.kinds and selection.since <= filed.first_failed_at < selection.until
            if is_meant and not filed.redriven_at and filed.sort > (after or "") and selection.holds(filed):
                yield filed

    def of_day(self, day: str) -> Iterator[Filed]:
        return (filed for filed in self._all() if filed.name.startswith(f"{day}/"))

    def claim(self, letter: Letter, *, now: datetime, until: datetime) -> bool:
        is_free = self._claimed.get(letter.name, now) <= now
        if letter.name not in self._letters or letter.name in self._redriven or not is_free:
            return False
        self._claimed[letter.name] = until
        return True

    def let_go(self, letter: Letter) -> None:
        self._claimed.pop(letter.name, None)

    def close(self, letter: Letter, *, by: str, at: datetime) -> None:
        self._redriven[letter.name] = at, by
        self.let_go(letter)

    def _all(self) -> list[Filed]:
        by_time = sorted(self._letters.values(), key=lambda letter: sort_key(letter.first_failed_at, letter.id))
        return [self._filed(letter) for letter in by_time]

    def _filed(self, letter: Letter) -> Filed:
        at, by = self._redriven.get(letter.name, (None, None))
        return Filed(
            name=letter.name,
            kind=letter.kind,
            step=letter.step,
            shop_id=letter.shop_id,
            order_group=letter.order_group,
            promotion_id=letter.promotion_id,
            error=letter.error,
            first_failed_at=letter.first_failed_at,
            times_redriven=letter.times_redriven,
            redriven_at=at,
            redriven_by=by,
        )
