"""The memories that tools keep or export as JSON: mem0, and the blocks and passages of an agent of Letta."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec

from engine.lifecycle.imports.memories.memory import UNDECODABLE, ImportedMemory, MemoryFile, MemoryType
from engine.lifecycle.imports.session import json_lines, string
from engine.text.transcript_marks import instant
from engine.workspace.dates import parse_day

UNREADABLE, EMPTY = "no memory in it", "empty"
_TEXT = ("memory", "content", "text")
_LISTS = ("results", "memories", "data")


def mem0(data: bytes, source: str) -> MemoryFile:
    """An export of mem0 or OpenMemory: a list, or one below `results`, or a line of JSON for each."""
    found = MemoryFile()
    for number, one in enumerate(_records(data, source), 1):
        text = next((string(one.get(key)) for key in _TEXT if string(one.get(key)).strip()), "").strip("\r\n")
        where = f"{source}#{_whole(string(one.get('id'))) or number}"
        day = _day(one.get("updated_at")) or _day(one.get("created_at"))
        _take(found, UNREADABLE, ImportedMemory(text=text, type=_type(one), source=where, day=day))
    return found


def letta_agent(data: bytes, source: str) -> MemoryFile:
    """The file of an agent (`.af`): its blocks as notes, its passages as entries."""
    found = MemoryFile()
    for holder in _holders(_value(data)):
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


def _take(found: MemoryFile, lacking: str, one: ImportedMemory) -> None:
    """Takes a memory, or counts one that says nothing or in which half a letter stands."""
    if not one.text.strip():
        found.left_out[lacking] += 1
    elif one.text != _whole(one.text):
        found.left_out[UNDECODABLE] += 1
    else:
        found.memories.append(one)


def _value(data: bytes) -> object:
    """Decodes JSON. A byte that is no letter, or half of a pair, spoils the record that holds it and not the file."""
    try:
        return msgspec.json.decode(data.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        try:
            return json.loads(data.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape"))
        except ValueError:
            raise error from None


def _whole(text: str) -> str:
    """The text without what no letter is made of."""
    return text.encode("utf-8", "ignore").decode("utf-8")


def _records(data: bytes, source: str) -> Iterator[dict[str, Any]]:
    if source.endswith(".jsonl"):
        return (one if one is not None else {} for one in json_lines(data.removeprefix(BOM_UTF8)))
    value = _value(data)
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    return _objects(value)


def _objects(value: object) -> Iterator[dict[str, Any]]:
    """The records of a list; an empty one for each that is none, so that it counts."""
    return (one if isinstance(one, dict) else {} for one in (value if isinstance(value, list) else ()))


def _holders(value: object) -> Iterator[dict[str, Any]]:
    """The export itself and each agent in it."""
    if isinstance(value, dict):
        yield value
        yield from _objects(value.get("agents"))


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
