"""A memory of another tool: its words and its subject; and the count of what was left out of its file."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from hashlib import blake2b

import msgspec

from engine.lifecycle.prune.memory_entries import memory_entries
from engine.text.frontmatter import read_frontmatter
from engine.workspace.dates import parse_day
from engine.workspace.generated import line_mask

GENERATED = "written by a tool between its marks"
INSTRUCTIONS = "instructions, no memory"
INDEX = "a line of an index"
ROUTING = "what finds a block again, no statement"
DERIVED = "made from other files of this folder"
UNDECODABLE = "not UTF-8"
MARK = re.compile(r"<!-- i:([0-9a-f]{12}) [^\n]*-->")
"""The id by which an imported memory is recognised, with its source (decision A15)."""
_DATED = ("modified", "updated", "date", "created")


class MemoryType(StrEnum):
    """The subject of a memory: the four types of Claude Code, and a daily log."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"
    LOG = "log"


class ImportedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """Words of a memory. `whole`: a whole file, which becomes a note named `stem`. `line` is from 1, or 0 in a source
    without lines; `section` is the heading above it."""

    text: str
    type: MemoryType
    source: str
    line: int = 0
    section: str = ""
    day: date | None = None
    whole: bool = False
    stem: str = ""

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits, the same for the same words in any tool."""
        return memory_id(self.text)

    @property
    def where(self) -> str:
        """The source, with its line if it has one."""
        return f"{self.source}:{self.line}" if self.line else self.source


class MemoryFile(msgspec.Struct):
    """The memories of one file, and the count of other entries, by reason."""

    memories: list[ImportedMemory] = []
    left_out: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def entries(self) -> int:
        """The number of all entries in the file."""
        return len(self.memories) + self.left_out.total()


def memory_id(text: str) -> str:
    """The id of a memory by its words, without case, spaces, list markers, an earlier mark of ours, or a BOM."""
    plain = " ".join(MARK.sub("", text).replace("\ufeff", "").casefold().split())
    return blake2b(re.sub(r"\A[-*+] ", "", plain).encode("utf-8", "replace"), digest_size=6).hexdigest()


def entries_of(text: str, source: str, kind: MemoryType, sections: Mapping[str, MemoryType] = {}) -> MemoryFile:
    """The entries of a markdown text: list items with their children, and paragraphs. `sections`: the types of entries
    by heading, in lower case. Text that a tool generated between its marks is left out (decision G16)."""
    found, made = MemoryFile(), line_mask(text)
    for entry in memory_entries(source, text):
        if any(number in made for number in range(entry.start, entry.end + 1)):
            found.left_out[GENERATED] += 1
            continue
        found.memories.append(
            ImportedMemory(
                text=entry.text.rstrip(),
                type=sections.get(entry.section.casefold(), kind),
                source=source,
                line=entry.start,
                section=entry.section,
                day=entry.day,
            )
        )
    return found


def note_of(text: str, source: str, kind: MemoryType, stem: str) -> MemoryFile:
    """A whole file as one memory, with its frontmatter, byte for byte; nothing if it is empty."""
    head = read_frontmatter(text.encode("utf-8", "surrogatepass"))
    if not text.strip():
        return MemoryFile()
    day = next(_days(head.values), None)
    return MemoryFile([ImportedMemory(text=text, type=kind, source=source, day=day, whole=True, stem=stem)])


def type_of(values: Mapping[str, str | list[str]]) -> MemoryType:
    """The type in the frontmatter, in either generation of Claude Code; otherwise `reference`."""
    for key in ("type", "metadata.type"):
        value = values.get(key)
        if isinstance(value, str) and value in set(MemoryType) - {MemoryType.LOG}:
            return MemoryType(value)
    return MemoryType.REFERENCE


def _days(values: Mapping[str, str | list[str]]) -> Iterator[date]:
    for key in (*_DATED, *(f"metadata.{name}" for name in _DATED)):
        value = values.get(key)
        if isinstance(value, str) and (day := parse_day(value[:10])) is not None:
            yield day
