"""Reads the memories of tools: markdown files, and the JSON of mem0 and of Letta's agents."""

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import msgspec

from engine.extras.importers.memories.memory import (
    DERIVED,
    INDEX,
    INSTRUCTIONS,
    ROUTING,
    UNDECODABLE,
    ImportedMemory,
    MemoryFile,
    MemoryType,
    entries_of,
    note_of,
    type_of,
)
from engine.extras.importers.session import json_lines, string
from engine.text.frontmatter import read_frontmatter
from engine.text.transcript_marks import instant
from engine.workspace.dates import parse_day

_INDEX = re.compile(r"[-*+] \[[^\]\n]+\]\([^)\n]+\.md\)")
_DAILY = re.compile(r"(\d{4}-\d{2}-\d{2})(-[^/]*)?\.md")
_USER_SECTIONS = dict.fromkeys(
    ("preferences", "user preferences", "about the user", "user", "gemini added memories"), MemoryType.USER
)
_DIVIDER = re.compile(r"^[ \t]*§[ \t]*\r?$", re.MULTILINE)
UNREADABLE, EMPTY = "no memory in it", "empty"
_TEXT = ("memory", "content", "text")
_LISTS = ("results", "memories", "data")


def claude_code(text: str, source: str) -> MemoryFile:
    """A topic file whole, of either generation; of MEMORY.md everything but the lines of its index."""
    name = _name(source)
    if name != "MEMORY.md":
        head = read_frontmatter(text.encode("utf-8", "surrogatepass")).values
        return note_of(text, source, type_of(head), name.removesuffix(".md"))
    found = entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS)
    return _without(found, INDEX, lambda memory: _INDEX.match(memory.text) is not None)


def openclaw(text: str, source: str) -> MemoryFile:
    """The entries of MEMORY.md and USER.md; daily logs and other files of memory/ whole. Nothing else is a memory."""
    name = _name(source)
    if name.casefold() == "memory.md":
        return entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS)
    if name == "USER.md":
        return entries_of(text, source, MemoryType.USER)
    daily = _DAILY.fullmatch(name)
    day = parse_day(daily[1]) if daily is not None else None
    if day is not None and "dreaming/" not in source:
        note = note_of(text, source, MemoryType.LOG, name.removesuffix(".md"))
        note.memories = [msgspec.structs.replace(memory, day=day) for memory in note.memories]
        return note
    if re.search(r"(?:^|/)memory/[^/]+\.md\Z", source):
        return note_of(text, source, MemoryType.REFERENCE, name.removesuffix(".md"))
    return _counted(MemoryFile(), DERIVED if "dream" in source.casefold() else INSTRUCTIONS, 1)


def codex(text: str, source: str) -> MemoryFile:
    """The statements of MEMORY.md, and each rollout's summary whole. Files that Codex derives from them are none."""
    name = _name(source)
    if "rollout_summaries/" in f"{source}/":
        return note_of(text, source, MemoryType.REFERENCE, name.removesuffix(".md"))
    if name == "MEMORY.md":
        return _without(entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS), ROUTING, _routes)
    if name in ("memory_summary.md", "raw_memories.md"):
        return _counted(MemoryFile(), DERIVED, len(entries_of(text, source, MemoryType.REFERENCE).memories))
    return _counted(MemoryFile(), INSTRUCTIONS, 1)


def hermes(text: str, source: str) -> MemoryFile:
    """The entries of MEMORY.md and USER.md, which are divided by lines with a `§`."""
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
    """The entries that `save_memory` added to GEMINI.md, and those of a MEMORY.md."""
    found = entries_of(text, source, MemoryType.REFERENCE, _USER_SECTIONS)
    if _name(source) == "MEMORY.md":
        return found
    return _without(found, INSTRUCTIONS, lambda memory: memory.section.casefold() != "gemini added memories")


def letta(text: str, source: str) -> MemoryFile:
    """A block of memory as a whole file; its name tells whether it is about the person."""
    name = _name(source).removesuffix(".md")
    head = read_frontmatter(text.encode("utf-8", "surrogatepass")).values
    return note_of(text, source, MemoryType.USER if name in ("human", "user") else type_of(head), name)


def _routes(memory: ImportedMemory) -> bool:
    """Tells whether an entry only routes to one of Codex's blocks: its files and keywords, its scope and working
    folder, in the layout of Codex's own prompt (openai/codex, templates/memories/consolidation.md)."""
    head = memory.section.startswith("Task Group") and memory.text.startswith(("scope:", "applies_to:"))
    return head or memory.section in ("rollout_summary_files", "keywords")


def _without(found: MemoryFile, reason: str, is_none: Callable[[ImportedMemory], bool]) -> MemoryFile:
    kept = [memory for memory in found.memories if not is_none(memory)]
    return _counted(MemoryFile(kept, found.left_out), reason, len(found.memories) - len(kept))


def _counted(found: MemoryFile, reason: str, many: int) -> MemoryFile:
    found.left_out += Counter({reason: many})
    return found


def _name(source: str) -> str:
    return source.rpartition("/")[2]


def mem0(data: bytes, source: str) -> MemoryFile:
    """An export of mem0 or OpenMemory: a list, or one below `results`, or a line of JSON for each."""
    found = MemoryFile()
    for number, record in enumerate(_records(data, source), 1):
        text = next((string(record.get(key)) for key in _TEXT if string(record.get(key)).strip()), "").strip("\r\n")
        where = f"{source}#{_whole(string(record.get('id'))) or number}"
        day = _day(record.get("updated_at")) or _day(record.get("created_at"))
        _take(found, UNREADABLE, ImportedMemory(text=text, type=_type(record), source=where, day=day))
    return found


def letta_agent(data: bytes, source: str) -> MemoryFile:
    """The file of an agent (`.af`): its blocks as notes, its passages as entries."""
    found = MemoryFile()
    value = _value(data)
    # The export itself and each agent in it.
    for holder in (value, *_objects(value.get("agents"))) if isinstance(value, dict) else ():
        for block in _objects(holder.get("blocks") or holder.get("core_memory")):
            _take(found, EMPTY, _block(block, source))
        for passage in _objects(holder.get("passages") or holder.get("archival_memory")):
            text, day = string(passage.get("text")).strip("\r\n"), _day(passage.get("created_at"))
            where = f"{source}#{_whole(string(passage.get('id'))) or 'passage'}"
            _take(found, EMPTY, ImportedMemory(text=text, type=MemoryType.REFERENCE, source=where, day=day))
    return found


def _block(block: dict[str, Any], source: str) -> ImportedMemory:
    label, text, day = _whole(string(block.get("label"))), string(block.get("value")), _day(block.get("updated_at"))
    kind, where = MemoryType.USER if label in ("human", "user") else MemoryType.REFERENCE, f"{source}#{label}"
    return ImportedMemory(text=text, type=kind, source=where, day=day, whole=True, stem=label or "block")


def _take(found: MemoryFile, lacking: str, memory: ImportedMemory) -> None:
    """Takes a memory. An empty one, or one with broken characters, is only counted."""
    if not memory.text.strip():
        found.left_out[lacking] += 1
    elif memory.text != _whole(memory.text):
        found.left_out[UNDECODABLE] += 1
    else:
        found.memories.append(memory)


def _value(data: bytes) -> object:
    """Decodes JSON. An invalid byte, or half of a surrogate pair, spoils only its own record."""
    try:
        return msgspec.json.decode(data.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        try:
            return json.loads(data.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape"))
        except ValueError:
            raise error from None


def _whole(text: str) -> str:
    """The text without characters that cannot be encoded."""
    return text.encode("utf-8", "ignore").decode("utf-8")


def _records(data: bytes, source: str) -> Iterator[dict[str, Any]]:
    if source.endswith(".jsonl"):
        return (line if line is not None else {} for line in json_lines(data.removeprefix(BOM_UTF8)))
    value = _value(data)
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    return _objects(value)


def _objects(value: object) -> Iterator[dict[str, Any]]:
    """The records of a list. Anything else becomes an empty record, so that it is counted."""
    return (item if isinstance(item, dict) else {} for item in (value if isinstance(value, list) else ()))


def _type(record: dict[str, Any]) -> MemoryType:
    """Reads the type from the categories: a preference is about the person, anything else is a fact."""
    listed = record.get("categories")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return MemoryType.USER if any("preference" in name for name in names) else MemoryType.REFERENCE


def _day(value: object) -> date | None:
    if (at := instant(value)) is not None:
        return at.date()
    return parse_day(value[:10]) if isinstance(value, str) else None
