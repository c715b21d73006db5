"""The numbered items that a workspace has already: numbers go on across it, and nothing is written twice (B7)."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from engine.errors import MemdeckError
from engine.flush.items import CODES, FlushCategory, FlushItem
from engine.workspace.snapshot import FileReader

_NUMBER = re.compile(rb"\b(DEC|FACT|CONFIG)-(\d{1,9})\b")
_LINE = re.compile(r"\b(?:DEC|FACT|CONFIG)-\d{1,9}:\s*(?P<text>[^\n|]+)")
_CATEGORY = {code: category for category, code in CODES.items()}


class KnownItem(NamedTuple):
    """A numbered line of a file."""

    category: FlushCategory
    text: str
    path: str
    code: str


class KnownItems:
    """The highest number of each category, and the lines that bear numbers."""

    def __init__(self) -> None:
        self.highest: dict[FlushCategory, int] = dict.fromkeys(CODES, 0)
        self.lines: list[KnownItem] = []

    def read(self, path: str, data: bytes) -> None:
        found = _NUMBER.findall(data)
        if not found:
            return
        for code, number in found:
            category = _CATEGORY[code.decode()]
            self.highest[category] = max(self.highest[category], int(number))
        for line in data.decode("utf-8", "replace").splitlines():
            stated = _LINE.search(line)
            if stated is not None:
                code = stated[0].partition(":")[0]
                self.lines.append(KnownItem(_CATEGORY[code.partition("-")[0]], stated["text"].strip(), path, code))

    def numbered(self, items: Iterable[FlushItem]) -> list[FlushItem]:
        """The items with their numbers, which go on after the highest in use."""
        from msgspec.structs import replace

        made = []
        for item in items:
            if item.category in self.highest:
                self.highest[item.category] += 1
                item = replace(item, number=self.highest[item.category])
            made.append(item)
        return made

    def has(self, item: FlushItem) -> bool:
        """Tells whether a numbered line says the same."""
        return any(line.category is item.category and _key(line.text) == item.key for line in self.lines)


def known_items(paths: Iterable[str], read: FileReader) -> KnownItems:
    """Reads every file of the workspace for its numbers; one that cannot be read has none."""
    known = KnownItems()
    for path in paths:
        try:
            known.read(path, read(path))
        except MemdeckError:
            continue
    return known


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。")
