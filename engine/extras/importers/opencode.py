"""Reads sessions of opencode from the rows of its database: the session, its messages, the parts of each."""

import re
from collections.abc import Iterator
from typing import Any

from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder, fields, json_lines, number, string
from engine.text.transcript_marks import Speaker

_NO_TITLE = re.compile(r"(?:New|Child) session - \d{4}-")
_QUIET = frozenset({"step-start", "step-finish", "snapshot", "patch", "retry", "compaction", "agent", "subtask"})


class OpencodeSessions:
    """Reads session after session."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The session of some rows. That of a subagent has no turns, only their number as a side chain."""
        head, messages, parts = _rows(data)
        built = SessionBuilder(string(head.get("id")), source, "opencode")
        if not built.session:
            return
        title = string(head.get("title"))
        built.topic = "" if _NO_TITLE.match(title) else title
        if parent := string(head.get("parent_id")) or string(head.get("parentID")):
            yield ImportedSession(session=parent, source=source, events=(), left_out={NoTurn.SIDE_CHAIN: len(messages)})
            return
        undone = string(fields(head.get("revert")).get("messageID"))
        for message in messages:
            ident = string(message.get("id"))
            # Ids grow: what was undone stays in the database until the session goes on.
            if undone and ident >= undone:
                built.left_out[NoTurn.ABANDONED] += 1
            else:
                _message(built, message, parts.get(ident, []))
        yield from built.done()


def _rows(data: bytes) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    head: dict[str, Any] = {}
    messages: list[dict[str, Any]] = []
    parts: dict[str, list[dict[str, Any]]] = {}
    for row in json_lines(data):
        match (row or {}).get("table"):
            case "session":
                head = row or {}
            case "message":
                messages.append(_whole(row or {}))
            case "part":
                part = _whole(row or {})
                parts.setdefault(string(part.get("message_id")) or string(part.get("messageID")), []).append(part)
    messages.sort(key=lambda message: (number(_created(message)), string(message.get("id"))))
    return head, messages, parts


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the fields of its column `data`."""
    return fields(row.get("data")) | row


def _created(message: dict[str, Any]) -> object:
    return fields(message.get("time")).get("created") or message.get("time_created")


def _message(built: SessionBuilder, message: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    role, time = message.get("role"), _created(message)
    if message.get("summary") is True:
        built.left_out[NoTurn.SUMMARY] += 1
        return
    if role not in ("user", "assistant"):
        built.left_out[NoTurn.META] += 1
        return
    said = []
    for part in sorted(parts, key=lambda part: string(part.get("id"))):
        if part.get("type") == "text" and (part.get("synthetic") is True or part.get("ignored") is True):
            built.left_out["synthetic part"] += 1
        elif part.get("type") == "text":
            said.append(string(part.get("text")))
        else:
            _part(built, part, time)
    speaker = Speaker.USER if role == "user" else Speaker.AGENT
    if role == "assistant":
        _model(built, message)
    built.say(speaker, "\n".join(said), time)


def _part(built: SessionBuilder, part: dict[str, Any], time: object) -> None:
    kind, state = string(part.get("type")), fields(part.get("state"))
    if kind == "tool":
        ident = string(part.get("callID")) or string(part.get("id"))
        built.call(string(part.get("tool")), state.get("input"), fields(state.get("time")).get("start") or time, ident)
        built.result(ident, string(state.get("output")) or string(state.get("error")))
    elif kind == "file" and string(part.get("filename")):
        built.attach(string(part["filename"]), time)
    elif kind == "reasoning":
        built.left_out["thinking"] += 1
    elif kind not in _QUIET:
        built.left_out[f"unknown part {kind[:40]}"] += 1


def _model(built: SessionBuilder, message: dict[str, Any]) -> None:
    built.model = string(message.get("modelID")) or string(fields(message.get("model")).get("modelID")) or built.model
    tokens = fields(message.get("tokens"))
    cache = fields(tokens.get("cache"))
    read = number(tokens.get("input")) + number(cache.get("read")) + number(cache.get("write"))
    if read or tokens:
        built.tokens[string(message.get("id"))] = read, number(tokens.get("output"))
