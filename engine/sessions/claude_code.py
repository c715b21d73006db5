"""A line of a Claude Code session file: `~/.claude/projects/<project>/<session>.jsonl`."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.sessions.message_blocks import SessionLine, tools
from engine.text.message_content import flag, texts, without_reminders
from engine.text.transcript_marks import Speaker, instant

_ROLES = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_NOT_SAID = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
"""Marks of lines that a hook, a summary or the program itself put there."""


def is_entry(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") in _ROLES and "message" in entry


def said(entry: Mapping[str, Any]) -> Iterator[SessionLine]:
    """The one message of a line: its text and its tool calls. Thinking and tools' results are not said to anybody."""
    message = entry["message"]
    if not isinstance(message, dict):
        return
    role, content = _ROLES[entry["type"]], message.get("content")
    text, only_reminders = without_reminders(texts(content)) if role is Speaker.USER else (texts(content), False)
    calls = tools(content, "tool_use", "input") if role is Speaker.AGENT else ()
    if text.strip() or calls:
        injected = only_reminders or flag(dict(entry), *_NOT_SAID)
        yield SessionLine(role, text, instant(entry.get("timestamp")), calls, injected)
