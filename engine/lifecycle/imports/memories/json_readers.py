"""The memories that tools keep or export as JSON: mem0, and the blocks and passages of an agent of Letta."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec

from engine.lifecycle.imports.memories.memory import ImportedMemory, MemoryFile, MemoryType
from engine.lifecycle.imports.session import json_lines, objects, string
from engine.text.transcript_marks import instant
from engine.workspace.dates import parse_day

UNREADABLE = "no memory in it"
_TEXT = ("memory", "content", "text")
_LISTS = ("results", "memories", "data")


def mem0(data: bytes, source: str) -> MemoryFile:
    """An export of mem0 or OpenMemory: a list, or one below `results`, or a line of JSON for each."""
    found = MemoryFile()
    for number, one in enumerate(_records(data, source), 1):
        text = next((string(one.get(key)) for key in _TEXT if string(one.get(key)).strip()), "")
        if not text:
            found.left_out[UNREADABLE] += 1
            continue
        ident = string(one.get("id"))
        day = _day(one.get("updated_at")) or _day(one.get("created_at"))
        where = f"{source}#{ident or number}"
        found.memories.append(ImportedMemory(text=text.strip("\r\n"), type=_type(one), source=where, day=day))
    return found


def letta_agent(data: bytes, source: str) -> MemoryFile:
    """The file of an agent (`.af`): its blocks as notes, its passages as entries."""
    found = MemoryFile()
    value = msgspec.json.decode(data.removeprefix(BOM_UTF8))
    for holder in _holders(value):
        for block in objects(holder.get("blocks") or holder.get("core_memory")):
            label, text = string(block.get("label")), string(block.get("value"))
            if not text.strip():
                found.left_out["empty"] += 1
                continue
            kind = MemoryType.USER if label in ("human", "user") else MemoryType.REFERENCE
            day = _day(block.get("updated_at"))
            one = ImportedMemory(
                text=text, type=kind, source=f"{source}#{label}", day=day, whole=True, stem=label or "block"
            )
            found.memories.append(one)
        for passage in objects(holder.get("passages") or holder.get("archival_memory")):
            text = string(passage.get("text"))
            if not text.strip():
                found.left_out["empty"] += 1
                continue
            where = f"{source}#{string(passage.get('id')) or 'passage'}"
            day = _day(passage.get("created_at"))
            found.memories.append(
                ImportedMemory(text=text.strip("\r\n"), type=MemoryType.REFERENCE, source=where, day=day)
            )
    return found


def _records(data: bytes, source: str) -> Iterator[dict[str, Any]]:
    if source.endswith(".jsonl"):
        yield from (one if one is not None else {} for one in json_lines(data.removeprefix(BOM_UTF8)))
        return
    value = msgspec.json.decode(data.removeprefix(BOM_UTF8))
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    for one in value if isinstance(value, list) else ():
        yield one if isinstance(one, dict) else {}


def _holders(value: object) -> Iterator[dict[str, Any]]:
    """The export itself and each agent in it."""
    if isinstance(value, dict):
        yield value
        yield from objects(value.get("agents"))


def _type(one: dict[str, Any]) -> MemoryType:
    """Reads the type from the categories: a preference is of the person, anything else a fact."""
    listed = one.get("categories")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return MemoryType.USER if any("preference" in name for name in names) else MemoryType.REFERENCE


def _day(value: object) -> date | None:
    at = instant(value)
    if at is not None:
        return at.date()
    return parse_day(value[:10]) if isinstance(value, str) else None
