"""Reads what a session line says about the window: an answer's usage, or a compaction (decision B23)."""

from datetime import datetime
from typing import Any

import msgspec

from engine.sessions.line_buffer import RawLine
from engine.text.transcript_marks import instant

MOST_TOKENS = 1_000_000_000  # tokens beyond which a figure is none


class WindowAnswer(msgspec.Struct, frozen=True, gc=False):
    """An answer of the main agent. `key`: equal on all its lines; `tokens`: those in context."""

    key: str
    tokens: int
    model: str
    at: datetime | None
    tool: str = ""


class WindowCut(msgspec.Struct, frozen=True, gc=False):
    """A compaction. `kept`: the first entry that stays, if the platform names it."""

    at: datetime | None
    trigger: str
    before: int
    kept: str = ""
    after: int = 0  # tokens that were left, where the platform says so


class _Usage(msgspec.Struct, gc=False):
    """Claude Code's keys, and OpenClaw's."""

    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    input: int | None = None
    cache_read: int | None = msgspec.field(default=None, name="cacheRead")
    cache_write: int | None = msgspec.field(default=None, name="cacheWrite")


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
    role: str | None = None
    model: str | None = None
    usage: _Usage | None = None


class _CompactMetadata(msgspec.Struct, gc=False):
    trigger: str | None = None
    tokens: int | None = msgspec.field(default=None, name="preTokens")
    after: int | None = msgspec.field(default=None, name="postTokens")


class _Line(msgspec.Struct, gc=False):
    """The keys about the window; content is skipped, so that a result of 1 MB is only scanned."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    id: str | None = None
    timestamp: Any = None
    message: _Message | str | None = None
    sidechain: bool | None = msgspec.field(default=None, name="isSidechain")
    summary: bool | None = msgspec.field(default=None, name="isCompactSummary")
    failed: bool | None = msgspec.field(default=None, name="isApiErrorMessage")
    metadata: _CompactMetadata | None = msgspec.field(default=None, name="compactMetadata")
    before: int | None = msgspec.field(default=None, name="tokensBefore")
    kept: str | None = msgspec.field(default=None, name="firstKeptEntryId")


_DECODER = msgspec.json.Decoder(_Line)


def window_line(line: RawLine) -> tuple[str, WindowAnswer | WindowCut | None]:
    """Returns the id of a line's entry and its event, if any. Never raises."""
    try:
        found = _DECODER.decode(line.data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return "", None
    # A subagent has a window of its own (decision B23).
    if found.sidechain:
        return "", None
    entry = found.uuid or found.id or ""
    return entry, _cut(found) or _answer(found, entry, line)


def _cut(found: _Line) -> WindowCut | None:
    at = instant(found.timestamp)
    if found.type == "system" and found.subtype == "compact_boundary":
        metadata = found.metadata or _CompactMetadata()
        return WindowCut(at, metadata.trigger or "", _within(metadata.tokens), after=_within(metadata.after))
    if found.type == "user" and found.summary:  # versions without a boundary
        return WindowCut(at, "", 0)
    if found.type == "compaction":
        return WindowCut(at, "", _within(found.before), found.kept or "")
    return None


def _answer(found: _Line, entry: str, line: RawLine) -> WindowAnswer | None:
    message = found.message
    if not isinstance(message, _Message) or message.usage is None or found.failed:
        return None
    if found.type != "assistant" and not (found.type == "message" and message.role == "assistant"):
        return None
    tokens = _in_context(message.usage)
    if not 0 < tokens <= MOST_TOKENS:  # what the program itself put there has none
        return None
    # One answer is written as several lines with the same usage, and counts once (decision B23).
    key = (message.id if found.type == "assistant" else None) or entry or f"@{line.offset}"
    tool = "claude-code" if found.type == "assistant" else "openclaw"
    return WindowAnswer(key, tokens, message.model or "", instant(found.timestamp), tool)


def _in_context(usage: _Usage) -> int:
    theirs = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    # The two programs' names never stand in one line.
    return sum(map(_within, theirs)) or sum(map(_within, (usage.input, usage.cache_read, usage.cache_write)))


def _within(figure: int | None) -> int:
    return figure if figure is not None and 0 < figure <= MOST_TOKENS else 0
