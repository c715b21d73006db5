"""Reads a line of a Claude Code session file: `~/.claude/projects/<project>/<session>.jsonl`."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.sessions.messages import SessionLine, spoken, tools
from engine.sessions.turn_tree import TreeLine
from engine.text.transcript_marks import Speaker, instant, text_blocks

_ROLES = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_PARENTS = ("parentUuid", "logicalParentUuid")
_NOT_SAID = {
    "isSidechain": "side chain",
    "isCompactSummary": "compaction summary",
    "isMeta": "meta",
    "isVisibleInTranscriptOnly": "meta",
    "isApiErrorMessage": "api error",
    "isSynthetic": "meta",
    "isVirtual": "meta",
}
"""Keys of lines that a hook, a summary or the program itself wrote."""


def is_entry(entry: Mapping[str, Any]) -> bool:
    return (entry.get("type") in _ROLES and "message" in entry) or isinstance(entry.get("attachment"), dict)


def tree_entry(entry: Mapping[str, Any]) -> TreeLine | None:
    """Returns the place of a line in the tree; after a compaction its logical parent. None outside the tree."""
    if not isinstance(ident := entry.get("uuid"), str) or entry.get("isSidechain") is True:
        return None
    parent = next((one for name in _PARENTS if isinstance(one := entry.get(name), str) and one), "")
    message = entry.get("message")
    role = _ROLES.get(str(entry.get("type"))) if isinstance(message, dict) else None
    if not isinstance(message, dict) or role is None or not_said(entry):
        return TreeLine(ident, parent)
    if role is Speaker.USER:
        return TreeLine(ident, parent, role if text_blocks(message.get("content")) else None)
    group = message.get("id")
    return TreeLine(ident, parent, role, group if isinstance(group, str) else "")


def queued(entry: Mapping[str, Any]) -> tuple[object, str]:
    """Returns what came while the agent worked, and its kind if the person did not type it."""
    attached = entry.get("attachment")
    if not isinstance(attached, dict) or attached.get("type") != "queued_command":
        return None, "attachment"
    mode = attached.get("commandMode", "prompt")
    kind = not_said(entry) or not_said(attached) or ("" if mode == "prompt" else str(mode).replace("-", " ")[:60])
    return attached.get("prompt"), kind


def said(entry: Mapping[str, Any]) -> Iterator[SessionLine]:
    """Yields the message of a line, its text and tool calls, without thinking and tools' results."""
    if "attachment" in entry:
        content, kind = queued(entry)
        line = spoken(Speaker.USER, content, "claude-code", instant(entry.get("timestamp")))
        if line.text.strip():
            yield line._replace(injected=line.injected or kind != "")
        return
    message = entry["message"]
    if not isinstance(message, dict):
        return
    role, content = _ROLES[entry["type"]], message.get("content")
    calls = tools(content, "tool_use", "input") if role is Speaker.AGENT else ()
    line = spoken(role, content, "claude-code", instant(entry.get("timestamp")), calls)
    if line.text.strip() or calls:
        yield line._replace(injected=line.injected or not_said(entry) != "")


def not_said(entry: Mapping[str, Any]) -> str:
    """Returns why nobody in this session said a line; empty if somebody did."""
    for name, kind in _NOT_SAID.items():
        if entry.get(name) is True:
            return kind
    if entry.get("promptSource") == "system":
        return "system prompt"
    message = entry.get("message")
    if isinstance(message, dict) and message.get("model") == "<synthetic>":
        return "message of the program"
    origin = entry.get("origin")
    told = origin.get("kind") if isinstance(origin, dict) else None
    return told.replace("-", " ")[:60] if isinstance(told, str) and told != "human" else ""
