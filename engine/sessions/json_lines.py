"""Reads session files of JSON lines: Claude Code's, OpenClaw's, Codex's, and plain ones for `topics match`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.sessions import claude_code, codex, openclaw
from engine.sessions.line_buffer import RawLine
from engine.sessions.messages import LONGEST_TEXT, LineProblem, SessionLine, SessionMessage, heard
from engine.sessions.turn_tree import TreeLine, abandoned
from engine.text.transcript_marks import Speaker, instant
from engine.topics.messages import ToolCall

_DECODER = msgspec.json.Decoder(dict[str, Any])
_ANY = msgspec.json.Decoder()
_ROLES = {"user": Speaker.USER, "human": Speaker.USER, "input": Speaker.USER, "system": Speaker.SYSTEM}


class JsonLines:
    """Reads line by line. Each line shows its own program, so that files may be mixed."""

    waits = False

    def __init__(self, source: str, longest: int = LONGEST_TEXT, *, whole: bool = False) -> None:
        self._longest = longest
        self._codex = codex.CodexLines()
        self._tree: list[TreeLine] | None = [] if whole else None
        self._leaf = ""
        self.session = source.rpartition("/")[2].removesuffix(".jsonl")
        self.problems: Counter[LineProblem] = Counter()
        self._source = source

    def read(self, line: RawLine) -> list[SessionMessage]:
        if not line.data.strip():
            return []
        try:
            entry = _DECODER.decode(line.data)
        except (msgspec.DecodeError, RecursionError, ValueError):
            self.problems[_why_not(line.data)] += 1
            return []
        said = list(self._codex.said(entry) if codex.is_entry(entry) else _said(entry))
        self.session = self._codex.session or _session(entry) or self.session
        self._place(entry)
        if _should_speak(entry) and not said:
            self.problems[LineProblem.NO_MESSAGE] += 1
        return [self._heard(message, entry, line) for message in said if message.text.strip() or message.tools]

    def pause(self) -> list[SessionMessage]:
        return []

    @property
    def abandoned(self) -> frozenset[str]:
        """The ids of given-up lines, in a file that was read whole."""
        return abandoned(self._tree or (), self._leaf)

    def _place(self, entry: Mapping[str, Any]) -> None:
        if self._tree is None:
            return
        placed = claude_code.tree_entry(entry) or openclaw.tree_entry(entry)
        if placed is not None:
            self._tree.append(placed)
            self._leaf = self._leaf if placed.role is None else ""
        elif entry.get("type") == "last-prompt" and isinstance(leaf := entry.get("leafUuid"), str):
            self._leaf = leaf

    def _heard(self, said: SessionLine, entry: Mapping[str, Any], line: RawLine) -> SessionMessage:
        ident = entry.get("uuid") or entry.get("id")
        known = ident if isinstance(ident, str) else ""
        return heard(
            said,
            session=self.session,
            source=self._source,
            place=known or f"{self._source}@{line.offset}",
            line=line.number,
            longest=self._longest,
            entry=known,
        )


def _said(entry: Mapping[str, Any]) -> Iterator[SessionLine]:
    if claude_code.is_entry(entry):
        yield from claude_code.said(entry)
    elif openclaw.is_entry(entry):
        yield from openclaw.said(entry)
    # A line of a type that says no role is a tool's own: a queue's operation, a mark of the system.
    elif isinstance(text := entry.get("text", entry.get("content")), str) and (
        "type" not in entry or not {"role", "direction"}.isdisjoint(entry)
    ):
        name = entry.get("role", entry.get("direction", "input"))
        role = _ROLES.get(name, Speaker.AGENT) if isinstance(name, str) else Speaker.USER
        yield SessionLine(role, text, at=instant(entry.get("time")), tools=tuple(_plain_tools(entry.get("tool_calls"))))


def _plain_tools(calls: object) -> Iterator[ToolCall]:
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(call.get("name"), str):
            paths = call.get("paths")
            known = paths if isinstance(paths, list) else ()
            yield ToolCall(call["name"], tuple(path for path in known if isinstance(path, str)))


def _session(entry: Mapping[str, Any]) -> str:
    for key in ("sessionId", "session"):
        if isinstance(value := entry.get(key), str) and value:
            return value[:200]
    if entry.get("type") == "session" and isinstance(entry.get("id"), str):
        return str(entry["id"])[:200]
    return ""


def _should_speak(entry: Mapping[str, Any]) -> bool:
    """Tells whether a line claims to be a message; other lines are the program's bookkeeping."""
    message = entry.get("message")
    readable = isinstance(message, dict) and isinstance(message.get("content"), str | list)
    return entry.get("type") in ("user", "assistant", "message") and "message" in entry and not readable


def _why_not(data: bytes) -> LineProblem:
    try:
        _ANY.decode(data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return LineProblem.NOT_JSON
    return LineProblem.NOT_AN_OBJECT
