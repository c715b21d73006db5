"""Sessions of OpenClaw: JSON lines that form a tree, of which the branch to the last line was the conversation."""

from collections.abc import Iterator
from typing import Any

from engine.lifecycle.imports.session import (
    META,
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
from engine.text.message_content import text_blocks, texts
from engine.text.transcript_marks import Speaker

_COUNTED = {"compaction": SUMMARY, "branch_summary": SUMMARY, "custom_message": META}


class OpenClawSessions:
    """Reads file after file."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file."""
        built = SessionBuilder(source.rpartition("/")[2].partition(".jsonl")[0], source, "openclaw")
        entries = list(json_lines(data))
        whole = [entry for entry in entries if entry is not None]
        built.left_out[UNREADABLE] += len(entries) - len(whole)
        branch = _branch(whole)
        for entry in whole:
            kind = string(entry.get("type"))
            if kind == "session":
                built.session = string(entry.get("id")) or built.session
            elif kind in _COUNTED:
                built.left_out[_COUNTED[kind]] += 1
            elif kind == "message" and isinstance(entry.get("message"), dict):
                if branch is not None and string(entry.get("id")) not in branch:
                    built.left_out[SIDE_CHAIN] += 1
                else:
                    _message(built, entry)
        built.left_out += type(built.left_out)()  # without zeros
        yield from built.done()


def _branch(entries: list[dict[str, Any]]) -> frozenset[str] | None:
    """The ids from the last line up to the first; None where lines have no parents."""
    parents = {str(entry["id"]): entry.get("parentId") for entry in entries if isinstance(entry.get("id"), str)}
    if not any(isinstance(parent, str) for parent in parents.values()):
        return None
    found: set[str] = set()
    at: object = next(reversed(parents))
    while isinstance(at, str) and at not in found:
        found.add(at)
        at = parents.get(at)
    return frozenset(found)


def _message(built: SessionBuilder, entry: dict[str, Any]) -> None:
    message = entry["message"]
    role, content, time = (
        message.get("role"),
        message.get("content"),
        entry.get("timestamp") or message.get("timestamp"),
    )
    if role == "user":
        built.say(Speaker.USER, text_blocks(content), time)
    elif role == "toolResult":
        built.result(string(message.get("toolCallId")), texts(content))
    elif role == "assistant":
        built.model = string(message.get("model")) or built.model
        usage = message.get("usage")
        if isinstance(usage, dict):
            read = ("input", "cacheRead", "cacheWrite")
            tokens = sum(number(usage.get(key)) for key in read), number(usage.get("output"))
            built.tokens[string(entry.get("id")) or str(len(built.tokens))] = tokens
        for block in objects(content):
            if block.get("type") == "toolCall":
                built.call(string(block.get("name")), block.get("arguments"), time, string(block.get("id")))
        built.say(Speaker.AGENT, texts(content), time)
