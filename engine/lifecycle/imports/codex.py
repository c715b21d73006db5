"""Sessions of Codex: `rollout-….jsonl`, whose `response_item` lines are what went to the model and came from it."""

from collections.abc import Iterator
from typing import Any

from engine.lifecycle.imports.session import (
    META,
    SUMMARY,
    UNREADABLE,
    ImportedSession,
    SessionBuilder,
    json_lines,
    number,
    string,
)
from engine.text.message_content import text_blocks
from engine.text.transcript_marks import Speaker

_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})


class CodexSessions:
    """Reads file after file; those of earlier versions have no envelope around each line."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file."""
        built = SessionBuilder(source.rpartition("/")[2].removesuffix(".jsonl"), source, "codex")
        for entry in json_lines(data):
            if entry is None:
                built.left_out[UNREADABLE] += 1
                continue
            payload = entry.get("payload")
            item = payload if isinstance(payload, dict) else entry
            kind = string(entry.get("type"))
            if kind == "session_meta" or (payload is None and "instructions" in entry):
                built.session = string(item.get("id")) or built.session
                built.begins(item.get("timestamp"))
            elif kind == "turn_context":
                built.model = string(item.get("model")) or built.model
            elif kind == "compacted":
                built.left_out[SUMMARY] += 1
            elif kind == "event_msg":
                _tokens(built, item)
            else:
                _item(built, item, entry.get("timestamp"))
        yield from built.done()


def _item(built: SessionBuilder, item: dict[str, Any], time: object) -> None:
    kind, ident = string(item.get("type")), string(item.get("call_id"))
    if kind == "message":
        _message(built, item, time)
    elif kind in _CALLS:
        built.call(string(item.get("name")) or "shell", item.get(_CALLS[kind]), time, ident)
    elif kind in _RESULTS:
        built.result(ident, item.get("output"))


def _message(built: SessionBuilder, item: dict[str, Any], time: object) -> None:
    if item.get("role") not in ("user", "assistant"):
        built.left_out[META] += 1
        return
    built.say(Speaker.USER if item["role"] == "user" else Speaker.AGENT, text_blocks(item.get("content")), time)


def _tokens(built: SessionBuilder, item: dict[str, Any]) -> None:
    """The running total of the session, which each line of its kind tells anew."""
    info = item.get("info")
    total = info.get("total_token_usage") if isinstance(info, dict) else None
    if item.get("type") == "token_count" and isinstance(total, dict):
        built.tokens["total"] = (number(total.get("input_tokens")), number(total.get("output_tokens")))
