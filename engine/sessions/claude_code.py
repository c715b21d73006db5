"""A line of a Claude Code session file: `~/.claude/projects/<project>/<session>.jsonl`."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.sessions.message_blocks import SessionLine, spoken, tools
from engine.text.transcript_marks import Speaker, instant

_ROLES = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_NOT_SAID = {
    "isSidechain": "side chain",
    "isCompactSummary": "compaction summary",
    "isMeta": "meta",
    "isVisibleInTranscriptOnly": "meta",
    "isApiErrorMessage": "api error",
}
"""Marks of lines that a hook, a summary or the program itself put there."""


def is_entry(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") in _ROLES and "message" in entry


def said(entry: Mapping[str, Any]) -> Iterator[SessionLine]:
    """The one message of a line: its text and its tool calls. Thinking and tools' results are not said to anybody."""
    message = entry["message"]
    if not isinstance(message, dict):
        return
    role, content = _ROLES[entry["type"]], message.get("content")
    calls = tools(content, "tool_use", "input") if role is Speaker.AGENT else ()
    line = spoken(role, content, "claude-code", instant(entry.get("timestamp")), calls)
    if line.text.strip() or calls:
        yield line._replace(injected=line.injected or not_said(entry) != "")


def not_said(entry: Mapping[str, Any]) -> str:
    """The reason why a line is nobody's words in this session, whatever it holds; empty where it is somebody's."""
    for name, kind in _NOT_SAID.items():
        if entry.get(name) is True:
            return kind
    origin = entry.get("origin")
    told = origin.get("kind") if isinstance(origin, dict) else None
    return told.replace("-", " ")[:60] if isinstance(told, str) and told != "human" else ""
