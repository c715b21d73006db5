"""A line of an OpenClaw session file: `~/.openclaw/agents/<id>/sessions/<session>.jsonl`."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.sessions.message_blocks import SessionLine, spoken, tools
from engine.text.message_content import texts
from engine.text.transcript_marks import Speaker, instant

_ROLES = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_TYPES = frozenset({"session", "message", "custom_message", "custom", "compaction", "branch_summary"})


def is_entry(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") in _TYPES


def said(entry: Mapping[str, Any]) -> Iterator[SessionLine]:
    """The message of a line. What an extension or a summary put there is marked as injected; results are left out."""
    match entry["type"]:
        case "message":
            yield from _message(entry)
        case "custom_message":
            yield from _injected(entry, texts(entry.get("content")))
        case "compaction" | "branch_summary" if isinstance(entry.get("summary"), str):
            yield from _injected(entry, entry["summary"])
        case _:
            return


def _message(entry: Mapping[str, Any]) -> Iterator[SessionLine]:
    message = entry.get("message")
    if not isinstance(message, dict):
        return
    speaker = message.get("role")
    role = _ROLES.get(speaker) if isinstance(speaker, str) else None
    if role is None:  # results of tools, shell commands of the operator
        return
    content = message.get("content")
    calls = tools(content, "toolCall", "arguments") if role is Speaker.AGENT else ()
    at = instant(entry.get("timestamp")) or instant(message.get("timestamp"))
    line = spoken(role, content, "openclaw", at, calls)
    if line.text.strip() or calls:
        yield line


def _injected(entry: Mapping[str, Any], text: str) -> Iterator[SessionLine]:
    if text.strip():
        yield SessionLine(Speaker.SYSTEM, text, instant(entry.get("timestamp")), (), injected=True)
