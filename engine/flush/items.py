"""Defines the categories of a flush and their items (window §Information to Preserve)."""

import re
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import msgspec

from engine.errors import MemdeckError
from engine.extraction.entry import PROMOTED, EntryGrade
from engine.flush.marks import Mark
from engine.topics.messages import SessionTurn
from engine.workspace.snapshot import FileReader


class FlushCategory(StrEnum):
    """A category of the flush."""

    DECISION = "decision"
    FACT = "fact"
    CONFIGURATION = "configuration"
    LEARNING = "learning"
    PROGRESS = "progress"
    KEPT = "kept"


class FlushPriority(StrEnum):
    """The order in which items are written while there is room (decision B21)."""

    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


PRIORITIES: dict[FlushCategory, FlushPriority] = {
    FlushCategory.DECISION: FlushPriority.HIGH,
    FlushCategory.FACT: FlushPriority.HIGH,
    FlushCategory.CONFIGURATION: FlushPriority.MEDIUM,
    FlushCategory.LEARNING: FlushPriority.MEDIUM,
    FlushCategory.PROGRESS: FlushPriority.LOW,
    FlushCategory.KEPT: FlushPriority.HIGH,
}
CODES: dict[FlushCategory, str] = {
    FlushCategory.DECISION: "DEC",
    FlushCategory.FACT: "FACT",
    FlushCategory.CONFIGURATION: "CONFIG",
}
"""The letters before an item's number; numbers count through the whole workspace (decision B7)."""
SURE = 0.8  # the confidence from which on a fact is promoted; a missing one never is (decision B6)


class FlushItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item. `text`: may have several lines if marked; `line`: of its turn in the session's file."""

    category: FlushCategory
    text: str
    session: str
    turn: int
    line: int
    rationale: str = ""
    source: str = ""
    confidence: float | None = None
    done: bool = False
    project: str = ""
    marks: frozenset[Mark] = frozenset()
    number: int = 0
    grade: EntryGrade | None = None
    """The judge's grade (decision D44); None if somebody marked or labelled it."""

    @property
    def priority(self) -> FlushPriority:
        # What the judge hears somebody tell is never summed up, as a list of tasks may be.
        heard = self.category is FlushCategory.PROGRESS and self.grade is not None
        return FlushPriority.MEDIUM if heard else PRIORITIES[self.category]

    @property
    def code(self) -> str:
        """`DEC-004`; empty for an item without a number."""
        return f"{CODES[self.category]}-{self.number:03}" if self.number else ""

    @property
    def doubt(self) -> str:
        """The field of a log line that nobody agreed to; empty for what was said or marked."""
        return "" if self.grade is None or self.grade in PROMOTED else f" | Grade: {self.grade.value}"

    @property
    def lasting(self) -> bool:
        """True if it is promoted: marked items, decisions with a rationale, sure facts (B5, B6)."""
        sure = self.grade is None or self.grade in PROMOTED
        if not sure or Mark.CURATE in self.marks:
            return sure
        reasoned = self.category is FlushCategory.DECISION and self.rationale != ""
        certain = self.category is FlushCategory.FACT and self.confidence is not None and self.confidence >= SURE
        return self.category is FlushCategory.LEARNING or reasoned or certain

    @property
    def key(self) -> str:
        """The text for comparing: an equal key is the same item said again."""
        return " ".join(self.text.casefold().split()).rstrip(".!。")

    def said_again(self, later: "FlushItem") -> "FlushItem":
        """Adds what was said later about the same item: reason, source, confidence, done."""
        return msgspec.structs.replace(
            self,
            rationale=self.rationale or later.rationale,
            source=self.source or later.source,
            confidence=self.confidence if later.confidence is None else later.confidence,
            done=self.done or later.done,
            marks=self.marks | later.marks,
            grade=self.grade if later.grade is not None and self.grade in (None, *PROMOTED) else later.grade,
        )


class FlushSession(msgspec.Struct, frozen=True, kw_only=True):
    """The turns of one session that no flush saved. `source` names the session's file, even if a backup is read."""

    source: str
    session: str
    turns: tuple[SessionTurn, ...]
    left_out: int = 0  # characters of turns too long to be read

    @property
    def first(self) -> int:
        return self.turns[0].number

    @property
    def last(self) -> int:
        return self.turns[-1].number

    @property
    def at(self) -> datetime | None:
        """The time of the last turn that has one; else None."""
        return next((turn.said_at for turn in reversed(self.turns) if turn.said_at is not None), None)


_NUMBER = re.compile(rb"\b(DEC|FACT|CONFIG)-(\d{1,9})\b")
_LINE = re.compile(r"\b(?:DEC|FACT|CONFIG)-\d{1,9}:\s*(?P<text>[^\n|]+)")
_ENTRY = re.compile(rb"^- \d{4}-\d\d-\d\d: (.*) <!-- x:[0-9a-f]{10} -->$", re.MULTILINE)
_CATEGORY = {code: category for category, code in CODES.items()}


class KnownItem(NamedTuple):
    """A numbered line of a file."""

    category: FlushCategory
    text: str
    path: str
    code: str


class KnownItems:
    """The highest number of each category, the numbered lines, and the extracted entries."""

    def __init__(self) -> None:
        self.highest: dict[FlushCategory, int] = dict.fromkeys(CODES, 0)
        self.lines: list[KnownItem] = []
        self._entries: set[str] = set()

    def read(self, path: str, data: bytes) -> None:
        self._entries.update(_key(said.decode("utf-8", "replace")) for said in _ENTRY.findall(data))
        if not (found := _NUMBER.findall(data)):
            return
        for code, number in found:
            category = _CATEGORY[code.decode()]
            self.highest[category] = max(self.highest[category], int(number))
        for line in data.decode("utf-8", "replace").splitlines():
            if (stated := _LINE.search(line)) is not None:
                code = stated[0].partition(":")[0]
                self.lines.append(KnownItem(_CATEGORY[code.partition("-")[0]], stated["text"].strip(), path, code))

    def numbered(self, items: Iterable[FlushItem]) -> list[FlushItem]:
        """Numbers the items after the highest numbers in use."""
        made = []
        for item in items:
            if item.category in self.highest:
                self.highest[item.category] += 1
                item = msgspec.structs.replace(item, number=self.highest[item.category])
            made.append(item)
        return made

    def has(self, item: FlushItem) -> bool:
        """Tells whether a numbered line or an entry says the same with its reason."""
        if any(line.category is item.category and _key(line.text) == item.key for line in self.lines):
            return True
        why = _key(item.rationale)
        alike = [entry for entry in self._entries if entry.startswith(item.key)]
        return item.key in alike or any(why and entry.endswith(why) for entry in alike)


def known_items(paths: Iterable[str], read: FileReader) -> KnownItems:
    """Reads the numbers in every file of the workspace; skips unreadable files."""
    known = KnownItems()
    for path in paths:
        try:
            known.read(path, read(path))
        except MemdeckError:
            continue
    return known


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。")
