"""Reads a line of a Codex session file: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from engine.sessions.messages import SessionLine, paths_in, spoken
from engine.text.transcript_marks import Speaker, instant
from engine.topics.messages import ToolCall

_ROLES = {"user": Speaker.USER, "assistant": Speaker.AGENT}
CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
"""Types of tool calls, each with the key of its arguments."""
_ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_BURST = timedelta(seconds=2)  # within so long of its first line a fork writes the history that it copies


class CodexLines:
    """Reads the lines of one file in order. The first `session_meta` names the session; a fork copies later ones."""

    def __init__(self) -> None:
        self.session = ""
        self._began: object = None
        self._copies = self._is_side = False

    def said(self, entry: Mapping[str, Any]) -> Iterator[SessionLine]:
        """Yields the message of a line; none of copied history or of a helper agent."""
        item = payload(entry)
        if is_head(entry):
            ident = item.get("id")
            if not self.session and isinstance(ident, str):
                self.session, self._began, self._is_side = ident[:200], entry.get("timestamp"), of_helper(item)
            elif ident != self.session:
                self._copies = True
            return
        at = instant(entry.get("timestamp"))
        began = instant(self._began)
        self._copies = self._copies and (at is None or began is None or at - began <= _BURST)
        kind = item.get("type")
        if self._copies or self._is_side or not isinstance(kind, str):
            return
        if kind == "message" and (role := _ROLES.get(str(item.get("role")))) is not None:
            line = spoken(role, item.get("content"), "codex", at)
            if line.text.strip():
                yield line
        elif kind in CALLS:
            name = item.get("name")
            call = ToolCall(name[:200] if isinstance(name, str) and name else "shell", paths_in(item.get(CALLS[kind])))
            yield SessionLine(Speaker.AGENT, "", at, (call,))


def is_entry(entry: Mapping[str, Any]) -> bool:
    kind = entry.get("type")
    if isinstance(kind, str) and kind in _ENVELOPES and isinstance(entry.get("payload"), dict):
        return True
    return is_head(entry) or (kind == "message" and "role" in entry and isinstance(entry.get("content"), list))


def is_head(entry: Mapping[str, Any]) -> bool:
    """Tells whether a line names its session; in earlier versions the first line has no type."""
    return entry.get("type") == "session_meta" or ("instructions" in entry and "id" in entry and "type" not in entry)


def payload(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the item of a line; lines of earlier versions are not wrapped."""
    inner = entry.get("payload")
    return inner if isinstance(inner, dict) else entry


def of_helper(head: Mapping[str, Any]) -> bool:
    """Tells whether the session belongs to a helper agent, whose user is another agent."""
    source = head.get("source")
    return head.get("thread_source") == "subagent" or (isinstance(source, dict) and "subagent" in source)
