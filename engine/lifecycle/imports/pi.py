"""Sessions of pi: JSON lines, since their second version a tree of entries of which the last is the leaf."""

from collections.abc import Iterator
from typing import Any

from engine.lifecycle.imports.branches import abandoned, last_leaf
from engine.lifecycle.imports.session import (
    META,
    REPEATED,
    SIDE_CHAIN,
    SUMMARY,
    UNREADABLE,
    ImportedSession,
    SessionBuilder,
    json_lines,
    number,
    objects,
    string,
)
from engine.text.message_content import texts
from engine.text.transcript_marks import Speaker

_COUNTED = {
    "compaction": SUMMARY,
    "branch_summary": "branch summary",
    "custom_message": META,
    "custom": META,
    "model_change": "model change",
    "thinking_level_change": "model change",
    "session_info": "session info",
    "label": "session info",
}
_ROLES = {
    "bashExecution": "bash input",
    "custom": META,
    "branchSummary": "branch summary",
    "compactionSummary": SUMMARY,
}


class PiSessions:
    """Reads file after file. What a fork copied from another file, ids and times alike, is not taken again."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file."""
        built = SessionBuilder(source.rpartition("/")[2].removesuffix(".jsonl"), source, "pi")
        entries = list(json_lines(data))
        whole = [entry for entry in entries if entry is not None]
        built.left_out[UNREADABLE] += len(entries) - len(whole)
        parents = {
            entry["id"]: string(entry.get("parentId")) or None
            for entry in whole
            if isinstance(entry.get("id"), str) and entry.get("type") != "session"
        }
        left = abandoned(parents, last_leaf(parents))
        is_fork = any(string(entry.get(key)) for entry in whole[:1] for key in ("parentSession", "branchedFrom"))
        known = frozenset(self._seen) if is_fork else frozenset()
        for entry in whole:
            self._take(built, entry, left, known)
        yield from built.done()

    def _take(
        self, built: SessionBuilder, entry: dict[str, Any], left: frozenset[str], known: frozenset[tuple[str, str]]
    ) -> None:
        kind, ident = string(entry.get("type")), string(entry.get("id"))
        if kind == "session":
            built.session = ident or built.session
            built.model = string(entry.get("modelId")) or built.model
            built.begins(entry.get("timestamp"))
            return
        if kind == "session_info":
            built.topic = string(entry.get("name")) or built.topic
        key = ident, string(entry.get("timestamp"))
        if kind != "message" or not isinstance(entry.get("message"), dict):
            built.left_out[_COUNTED.get(kind) or f"unknown line: {kind[:40]}"] += 1
        elif ident in left:
            built.left_out[SIDE_CHAIN] += 1
        elif ident and key in known:
            built.left_out[REPEATED] += 1
        else:
            _message(built, entry["message"], entry.get("timestamp") or entry["message"].get("timestamp"), ident)
        self._seen.add(key)


def _message(built: SessionBuilder, message: dict[str, Any], time: object, ident: str) -> None:
    role, content = string(message.get("role")), message.get("content")
    if role == "user":
        built.say(Speaker.USER, texts(content), time)
    elif role == "toolResult":
        built.result(string(message.get("toolCallId")), texts(content))
    elif role == "assistant":
        _agent(built, message, time, ident)
    else:
        built.left_out[_ROLES.get(role) or f"unknown role: {role[:40]}"] += 1


def _agent(built: SessionBuilder, message: dict[str, Any], time: object, ident: str) -> None:
    content = message.get("content")
    built.model = string(message.get("model")) or built.model
    usage = message.get("usage")
    if isinstance(usage, dict):
        read = sum(number(usage.get(key)) for key in ("input", "cacheRead", "cacheWrite"))
        built.tokens[ident or str(len(built.tokens))] = read, number(usage.get("output"))
    for block in objects(content):
        if block.get("type") == "toolCall":
            built.call(string(block.get("name")), block.get("arguments"), time, string(block.get("id")))
        elif block.get("type") == "thinking":
            built.left_out["thinking"] += 1
    built.say(Speaker.AGENT, texts(content), time)
