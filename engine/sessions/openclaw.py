"""Reads a line of an OpenClaw session file: `~/.openclaw/agents/<id>/sessions/<session>.jsonl`."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.sessions.messages import SessionLine, spoken, tools
from engine.sessions.turn_tree import TreeLine
from engine.text.transcript_marks import Speaker, instant, texts

_ROLES = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_TYPES = frozenset({"session", "message", "custom_message", "custom", "compaction", "branch_summary"})


def is_entry(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") in _TYPES


def said(entry: Mapping[str, Any]) -> Iterator[SessionLine]:
    """Yields the message of a line; marks text of extensions and summaries as injected, skips results."""
    match entry["type"]:
        case "message":
            yield from _message(entry)
        case "custom_message":
            yield from _injected(entry, texts(entry.get("content")))
        case "compaction" | "branch_summary" if isinstance(entry.get("summary"), str):
            yield from _injected(entry, entry["summary"])
        case _:
            return


def tree_entry(entry: Mapping[str, Any]) -> TreeLine | None:
    """Returns the place of a line in the tree; None outside it."""
    if not isinstance(ident := entry.get("id"), str) or entry.get("type") == "session":
        return None
    message, parent = entry.get("message"), entry.get("parentId")
    speaker = message.get("role") if isinstance(message, dict) else None
    role = _ROLES.get(speaker) if isinstance(speaker, str) else None
    return TreeLine(ident, parent if isinstance(parent, str) else "", role)


def not_said(message: Mapping[str, Any]) -> str:
    """Returns why nobody said a user's message, by its stated origin; empty for a person's."""
    origin = message.get("provenance")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return kind.replace("_", " ")[:60] if isinstance(kind, str) and kind != "external_user" else ""


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
        yield line._replace(injected=line.injected or not_said(message) != "")


def _injected(entry: Mapping[str, Any], text: str) -> Iterator[SessionLine]:
    if text.strip():
        yield SessionLine(Speaker.SYSTEM, text, instant(entry.get("timestamp")), (), injected=True)
