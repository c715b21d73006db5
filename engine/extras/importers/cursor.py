"""Reads transcripts of Cursor's agent, as text or JSON lines. They have no times, so the file's own time is used."""

import re
from collections.abc import Iterator
from typing import Any

from engine.extras.importers.session import ImportedSession, SessionBuilder, objects, string
from engine.text.transcript_marks import Speaker, texts

_ROLE = re.compile(r"(?m)^(user|assistant):[ \t]*\r?$\n?")
_BLOCK = re.compile(r"(?m)^\[(Thinking|Tool call|Tool result)\][ \t]*([^\r\n]*)\r?\n?((?:[ \t]+[^\n]*\n?|\r?\n)*)")
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)


class CursorSessions:
    """Reads file after file."""

    modified: float = 0.0  # the time of the last change of the file that is read next, in seconds since 1970

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file."""
        built = SessionBuilder(source.rpartition("/")[2].removesuffix(".jsonl").removesuffix(".txt"), source, "cursor")
        built.begins(self.modified)
        if data.lstrip()[:1] == b"{":
            for entry in built.lines(data):
                _line(built, entry)
        else:
            text = data.decode("utf-8", "replace")
            marks = list(_ROLE.finditer(text))
            for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=False):
                (_user if mark[1] == "user" else _agent)(built, text[mark.end() : end])
        yield from built.done()


def _line(built: SessionBuilder, entry: dict[str, Any]) -> None:
    message = entry.get("message")
    if not isinstance(message, dict):
        built.left_out[f"unknown line {string(entry.get('type'))[:40]}"] += 1
    elif entry.get("role") == "user":
        _user(built, texts(message.get("content")))
    else:
        for block in objects(message.get("content")):
            if block.get("type") == "tool_use":
                built.call(string(block.get("name")), block.get("input"), None)
        built.say(Speaker.AGENT, texts(message.get("content")), None)


def _user(built: SessionBuilder, text: str) -> None:
    """Takes the person's question, without the program's text around it."""
    asked = _QUERY.findall(text)
    if asked and _QUERY.sub("", text).strip():
        built.left_out["context"] += 1
    built.say(Speaker.USER, "\n".join(asked) if asked else text.strip(), None)


def _agent(built: SessionBuilder, text: str) -> None:
    for block in _BLOCK.finditer(text):
        if block[1] == "Thinking":
            built.left_out["thinking"] += 1
        elif block[1] == "Tool call":
            built.call(block[2].strip(), block[3].strip(), None, "last")
        else:
            built.result("last", block[3].strip())
    built.say(Speaker.AGENT, _BLOCK.sub("", text).strip(), None)
