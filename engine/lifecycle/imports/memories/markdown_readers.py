"""The memories that tools keep in markdown: Claude Code, OpenClaw, Codex, Hermes, Gemini, and the files of Letta."""

import re
from collections import Counter
from collections.abc import Callable

import msgspec

from engine.lifecycle.imports.memories.memory import (
    DERIVED,
    INDEX,
    INSTRUCTIONS,
    ROUTING,
    ImportedMemory,
    MemoryFile,
    MemoryType,
    entries_of,
    note_of,
    type_of,
)
from engine.text.frontmatter import read_frontmatter
from engine.workspace.dates import parse_day

_INDEX = re.compile(r"[-*+] \[[^\]\n]+\]\([^)\n]+\.md\)")
_DAILY = re.compile(r"(\d{4}-\d{2}-\d{2})(-[^/]*)?\.md")
_USER_SECTIONS = dict.fromkeys(
    ("preferences", "user preferences", "about the user", "user", "gemini added memories"), MemoryType.USER
)
_DIVIDER = re.compile(r"^[ \t]*§[ \t]*\r?$", re.MULTILINE)


def claude_code(text: str, source: str) -> MemoryFile:
    """A topic file whole, of either generation; of MEMORY.md what is no line of its index."""
    name = _name(source)
    if name != "MEMORY.md":
        head = read_frontmatter(text.encode("utf-8", "surrogatepass")).values
        return note_of(text, source, type_of(head), name.removesuffix(".md"))
    found = entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS)
    return _without(found, INDEX, lambda one: _INDEX.match(one.text) is not None)


def openclaw(text: str, source: str) -> MemoryFile:
    """MEMORY.md and USER.md by entries, logs of days and what else stands in memory/ whole; the rest is none."""
    name = _name(source)
    if name.casefold() == "memory.md":
        return entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS)
    if name == "USER.md":
        return entries_of(text, source, MemoryType.USER)
    daily = _DAILY.fullmatch(name)
    day = parse_day(daily[1]) if daily is not None else None
    if day is not None and "dreaming/" not in source:
        note = note_of(text, source, MemoryType.LOG, name.removesuffix(".md"))
        note.memories = [msgspec.structs.replace(one, day=day) for one in note.memories]
        return note
    if re.search(r"(?:^|/)memory/[^/]+\.md\Z", source):
        return note_of(text, source, MemoryType.REFERENCE, name.removesuffix(".md"))
    return _counted(MemoryFile(), DERIVED if "dream" in source.casefold() else INSTRUCTIONS, 1)


def codex(text: str, source: str) -> MemoryFile:
    """The statements of MEMORY.md, the summary of each rollout whole; what Codex makes from these is none."""
    name = _name(source)
    if "rollout_summaries/" in f"{source}/":
        return note_of(text, source, MemoryType.REFERENCE, name.removesuffix(".md"))
    if name == "MEMORY.md":
        return _without(entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS), ROUTING, _routes)
    if name in ("memory_summary.md", "raw_memories.md"):
        return _counted(MemoryFile(), DERIVED, len(entries_of(text, source, MemoryType.REFERENCE).memories))
    return _counted(MemoryFile(), INSTRUCTIONS, 1)


def hermes(text: str, source: str) -> MemoryFile:
    """MEMORY.md and USER.md, whose entries are divided by lines with a `§`."""
    name, found = _name(source), MemoryFile()
    if name not in ("MEMORY.md", "USER.md"):
        return _counted(found, INSTRUCTIONS, 1)
    kind = MemoryType.USER if name == "USER.md" else MemoryType.REFERENCE
    starts = [0, *(mark.end() for mark in _DIVIDER.finditer(text))]
    ends = [*(mark.start() for mark in _DIVIDER.finditer(text)), len(text)]
    for start, end in zip(starts, ends, strict=True):
        said = text[start:end].strip("\r\n")
        if said.strip():
            at = text.count("\n", 0, start + len(text[start:end]) - len(text[start:end].lstrip("\r\n"))) + 1
            found.memories.append(ImportedMemory(text=said.rstrip(), type=kind, source=source, line=at))
    return found


def gemini(text: str, source: str) -> MemoryFile:
    """Takes what `save_memory` added to GEMINI.md, and the entries of a MEMORY.md; the rest of GEMINI.md is none."""
    found = entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS)
    if _name(source) == "MEMORY.md":
        return found
    return _without(found, INSTRUCTIONS, lambda one: one.section.casefold() != "gemini added memories")


def letta(text: str, source: str) -> MemoryFile:
    """A block of memory as a file: whole, what is known of the person by its name."""
    name = _name(source).removesuffix(".md")
    head = read_frontmatter(text.encode("utf-8", "surrogatepass")).values
    kind = MemoryType.USER if name in ("human", "user") else type_of(head)
    return note_of(text, source, kind, name)


def _routes(one: ImportedMemory) -> bool:
    """Tells whether an entry finds one of Codex's blocks again: its files and keywords, its scope and working folder.
    As its own prompt lays them out (openai/codex, templates/memories/consolidation.md)."""
    head = one.section.startswith("Task Group") and one.text.startswith(("scope:", "applies_to:"))
    return head or one.section in ("rollout_summary_files", "keywords")


def _without(found: MemoryFile, reason: str, is_none: Callable[[ImportedMemory], bool]) -> MemoryFile:
    """The file without the entries that are no memory, which are counted."""
    kept = [one for one in found.memories if not is_none(one)]
    return _counted(MemoryFile(kept, found.left_out), reason, len(found.memories) - len(kept))


def _counted(found: MemoryFile, reason: str, many: int) -> MemoryFile:
    found.left_out += Counter({reason: many})
    return found


def _name(source: str) -> str:
    return source.rpartition("/")[2]
