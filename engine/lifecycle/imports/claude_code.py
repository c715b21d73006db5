"""Sessions of Claude Code: a line for each block of a message, one turn for each `message.id`."""

from collections.abc import Iterator
from typing import Any

from engine.lifecycle.imports.session import (
    REPEATED,
    UNREADABLE,
    ImportedSession,
    SessionBuilder,
    json_lines,
    number,
    objects,
    string,
)
from engine.sessions.claude_code import not_said
from engine.text.message_content import text_blocks, texts
from engine.text.transcript_marks import Speaker


class ClaudeCodeSessions:
    """Reads file after file. A line that a resumed session copied from another file is not taken again."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file."""
        built = SessionBuilder(source.rpartition("/")[2].removesuffix(".jsonl"), source, "claude-code")
        for entry in json_lines(data):
            if entry is None:
                built.left_out[UNREADABLE] += 1
            elif entry.get("type") in ("user", "assistant") and isinstance(entry.get("message"), dict):
                built.session = string(entry.get("sessionId")) or built.session
                self._take(built, entry)
        yield from built.done()

    def _take(self, built: SessionBuilder, entry: dict[str, Any]) -> None:
        reason = self._left_out(entry)
        if reason:
            built.left_out[reason] += 1
        elif entry["type"] == "user":
            _user(built, entry)
        else:
            _agent(built, entry)

    def _left_out(self, entry: dict[str, Any]) -> str:
        if reason := not_said(entry):
            return reason
        ident = string(entry.get("uuid"))
        if ident and ident in self._seen:
            return REPEATED
        self._seen.add(ident)
        return ""


def _user(built: SessionBuilder, entry: dict[str, Any]) -> None:
    content = entry["message"].get("content")
    for block in objects(content):
        if block.get("type") == "tool_result":
            built.result(string(block.get("tool_use_id")), texts(block.get("content")))
    built.say(Speaker.USER, text_blocks(content), entry.get("timestamp"))


def _agent(built: SessionBuilder, entry: dict[str, Any]) -> None:
    message, time = entry["message"], entry.get("timestamp")
    ident = string(message.get("id"))
    model = string(message.get("model"))
    built.model = model if model and not model.startswith("<") else built.model
    usage = message.get("usage")
    if isinstance(usage, dict):
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        built.tokens[ident] = (sum(number(usage.get(key)) for key in read), number(usage.get("output_tokens")))
    for block in objects(message.get("content")):
        if block.get("type") == "text":
            built.say(Speaker.AGENT, string(block.get("text")), time, ident)
        elif block.get("type") == "tool_use":
            built.call(string(block.get("name")), block.get("input"), time, string(block.get("id")))
    if isinstance(message.get("content"), str):
        built.say(Speaker.AGENT, message["content"], time, ident)
