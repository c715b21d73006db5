"""Reads from session files which tool calls wrote a file, and with what text (Write and Edit calls)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from engine.sessions.folder import ListedFile, SessionFolder
from engine.sessions.line_buffer import RawLine
from engine.sessions.tail import Tail
from engine.text.transcript_marks import instant


class FileEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that wrote a file, as its session says it. `old` is None where the whole file was written. `turn` is
    the line of the session's file. Nothing of it is trusted: it counts where the file's own bytes agree."""

    path: str
    old: str | None
    new: str
    at: datetime
    session: str
    turn: int
    everywhere: bool = False  # every place of `old` was replaced


MOST_EDITS = 20_000  # edits of one file that are taken from all sessions
_NOON = datetime(2000, 1, 1, 12, tzinfo=UTC)  # any instant: a file that is read whole has no clock
_DECODER = msgspec.json.Decoder(dict[str, Any])
_CALLS = {"tool_use": "input", "toolCall": "arguments"}
"""The types of blocks that call a tool, each with the key of what it passes on."""
_PATHS = ("file_path", "path", "file")
_OLD, _NEW = ("old_string", "oldText", "old_text"), ("new_string", "newText", "new_text")


def file_edits(places: Iterable[SessionFolder], names: Collection[str]) -> tuple[FileEdit, ...]:
    """The tool calls of all sessions that wrote a file of one of these workspace paths, in order of time."""
    found: list[FileEdit] = []
    for place in places:
        for file in place.list().files:
            if file.path.endswith(".jsonl") and len(found) < MOST_EDITS:
                found += _of_file(place, file, names)
    return tuple(sorted(found[:MOST_EDITS], key=lambda edit: edit.at))


def edits_in(places: Iterable[SessionFolder], session: str, notes: Collection[str]) -> tuple[FileEdit, ...]:
    """The tool calls of one session that wrote any of these notes, in order of time; `session` or how its id begins."""
    found = [
        edit
        for place in places
        for file in place.list().files
        if file.path.endswith(".jsonl")
        for line in _lines(place, file.path)
        for edit in _of_line(line, file.path.rpartition("/")[2].removesuffix(".jsonl"), notes)
        if edit.session.startswith(session)
    ]
    return tuple(sorted(found[:MOST_EDITS], key=lambda edit: edit.at))


def _of_file(place: SessionFolder, file: ListedFile, names: Collection[str]) -> Iterator[FileEdit]:
    """The edits of one session. Only lines that hold the file's name are decoded: sessions have megabytes."""
    # JSON may write other letters than ASCII in two ways: then every line is looked at.
    last = {name.encode() if name.isascii() else b'"' for name in (name.rpartition("/")[2] for name in names)}
    session = file.path.rpartition("/")[2].removesuffix(".jsonl")
    for line in _lines(place, file.path):
        if any(name in line.data for name in last):
            yield from _of_line(line, session, names)


def _lines(place: SessionFolder, path: str) -> Iterator[RawLine]:
    tail = Tail(place.root, path)
    try:
        tail.look(_NOON)
        while tail.is_open and tail.pending:
            before = tail.pending
            yield from tail.read()
            if tail.pending == before:
                return
    finally:
        tail.close()


def _of_line(line: RawLine, session: str, names: Collection[str]) -> Iterator[FileEdit]:
    try:
        entry = _DECODER.decode(line.data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return
    message = entry.get("message")
    at = instant(entry.get("timestamp"))
    if not isinstance(message, dict) or message.get("role") != "assistant" or at is None:
        return
    named = entry.get("sessionId")
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        for path, old, new, everywhere in _written(block):
            name = next((name for name in names if path == name or path.endswith(f"/{name}")), None)
            if name is not None:
                told = named[:200] if isinstance(named, str) else session
                yield FileEdit(
                    path=name, old=old, new=new, at=at, session=told, turn=line.number, everywhere=everywhere
                )


def _written(block: object) -> Iterator[tuple[str, str | None, str, bool]]:
    """The path, the old text (None: the whole file), the new text, and whether all places, of a block's edits."""
    arguments = block.get(_CALLS.get(str(block.get("type")), "")) if isinstance(block, dict) else None
    if not isinstance(arguments, dict):
        return
    path = _first(arguments, _PATHS)
    if path is None:
        return
    content = arguments.get("content")
    if isinstance(content, str):
        yield path, None, content, False
    several = arguments.get("edits")
    for edit in (arguments, *(several if isinstance(several, list) else ())):
        old, new = (_first(edit, keys) if isinstance(edit, dict) else None for keys in (_OLD, _NEW))
        if old is not None and new is not None:
            yield path, old, new, edit.get("replace_all") is True


def _first(values: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((values[key] for key in keys if isinstance(values.get(key), str)), None)
