"""Reads from session files which tool calls wrote a file with which text, and which notes a line mentions."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from engine.sessions.folder import ListedFile, SessionFolder
from engine.sessions.line_buffer import RawLine
from engine.sessions.tail import Tail
from engine.text.transcript_marks import instant


class FileEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that wrote a file, untrusted. `old`: None for a whole file; `turn`: the line in the session file."""

    path: str
    old: str | None
    new: str
    at: datetime
    session: str
    turn: int
    everywhere: bool = False  # every place of `old` was replaced


class NoteTouch(msgspec.Struct, frozen=True, gc=False):
    """A note that was given to a session, or that its agent read or wrote, with the line in its file."""

    line: int
    kind: Literal["given", "read", "wrote"]
    path: str


_GIVEN = b"kept by memdeck. What stands between"  # of the head of what a hook gives beside a message
_RECALLED = re.compile(rb'<recalled [0-9a-f]{12} \w+ \\*"([^"\\]{1,400}?)(?::\d+)?\\*" trust=')
_CALLED = (b'"tool_use"', b'"toolCall"')
_TOLD = re.compile(r"> \[(?:(knowledge)|tool):([^\]]{1,200})\] ?(.{0,4000})")  # a line of a transcript of ours
_NOTE = re.compile(r"[\w./~@+-]{1,400}\.md\b")
_WRITES = re.compile(r"write|edit|append|create|save|patch", re.I)
_SIDE = (b'"isSidechain":true', b'"isSidechain": true')  # a subagent has a window of its own (decision B23)


def note_touches(line: RawLine) -> Iterator[NoteTouch]:
    """Yields the notes of a line: given by a hook, read or written by a tool. Never raises."""
    data = line.data
    if data.startswith(b"> [") and (told := _TOLD.match(data.decode("utf-8", "replace"))):
        wrote = told[1] or _WRITES.search(told[2])
        for path in dict.fromkeys(_NOTE.findall(told[3].partition(" → ")[0])):
            yield NoteTouch(line.number, "wrote" if wrote else "read", path)
    elif b"<recalled " in data and b'"assistant"' not in data:
        kind: Literal["given", "read"] = "given" if _GIVEN in data else "read"
        for raw in dict.fromkeys(_RECALLED.findall(data)):
            yield NoteTouch(line.number, kind, raw.decode("utf-8", "replace"))
    elif any(called in data for called in _CALLED) and not any(side in data for side in _SIDE):
        for block in _blocks(line):
            wrote = {path for path, *_ in _written(block)}
            arguments = block.get(_CALLS.get(str(block.get("type")), "")) if isinstance(block, dict) else None
            path = _first(arguments, _PATHS) if isinstance(arguments, dict) else None
            if path is not None and path.endswith(".md"):
                yield NoteTouch(line.number, "wrote" if path in wrote else "read", path[:400])


def _entry(line: RawLine) -> dict[str, Any]:
    try:
        return _DECODER.decode(line.data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return {}


def _blocks(line: RawLine) -> Iterable[object]:
    message = _entry(line).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else ()


MOST_EDITS = 20_000  # edits of one file that are taken from all sessions
_NOON = datetime(2000, 1, 1, 12, tzinfo=UTC)  # any instant: a file that is read whole has no clock
_DECODER = msgspec.json.Decoder(dict[str, Any])
_CALLS = {"tool_use": "input", "toolCall": "arguments"}
"""Types of blocks that call a tool, each with the key of its arguments."""
_PATHS = ("file_path", "path", "file")
_OLD, _NEW = ("old_string", "oldText", "old_text"), ("new_string", "newText", "new_text")


def file_edits(places: Iterable[SessionFolder], names: Collection[str]) -> tuple[FileEdit, ...]:
    """Returns the tool calls of all sessions that wrote one of these files, in order of time."""
    found: list[FileEdit] = []
    for place in places:
        for file in place.list().files:
            if file.path.endswith(".jsonl") and len(found) < MOST_EDITS:
                found += _of_file(place, file, names)
    return tuple(sorted(found[:MOST_EDITS], key=lambda edit: edit.at))


def edits_in(places: Iterable[SessionFolder], session: str, notes: Collection[str]) -> tuple[FileEdit, ...]:
    """Returns the tool calls of a session that wrote one of these notes, by time. `session`: its id or beginning."""
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
    """Yields the edits in one session file; decodes only lines with a file's name, as sessions have megabytes."""
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
    entry = _entry(line)
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
    """Yields path, old text (None: whole file), new text, and whether it applies everywhere, for a block's edits."""
    arguments = block.get(_CALLS.get(str(block.get("type")), "")) if isinstance(block, dict) else None
    if not isinstance(arguments, dict):
        return
    if (path := _first(arguments, _PATHS)) is None:
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
