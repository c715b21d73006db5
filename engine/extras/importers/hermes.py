"""Reads sessions of Hermes: the rows of its database, or in older versions a file of JSON lines or one object each."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from engine.extras.importers.session import ImportedSession, SessionBuilder, decoded, objects, string
from engine.text.transcript_marks import Speaker, instant, texts

_BLOCKS = "\x00json:"  # before the content of a message that is no plain text


class HermesSessions:
    """Reads session after session."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file, or of some rows."""
        name = source.rpartition("/")[2].removesuffix(".jsonl").removesuffix(".json").removeprefix("session_")
        built = SessionBuilder(name, source, "hermes")
        for entry in _entries(built, data):
            if entry.get("table") == "sessions" or "messages" in entry:
                _head(built, entry)
                for message in objects(entry.get("messages")):
                    _message(built, message)
            else:
                _message(built, entry)
        yield from built.done()


def _entries(built: SessionBuilder, data: bytes) -> Iterable[dict[str, Any]]:
    try:
        value = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return built.lines(data)
    return (value,) if isinstance(value, dict) else ()


def _head(built: SessionBuilder, head: dict[str, Any]) -> None:
    built.session = string(head.get("id")) or string(head.get("session_id")) or built.session
    built.topic = string(head.get("title"))
    built.model = string(head.get("model"))
    built.begins(_time(head.get("started_at") or head.get("session_start")))


def _message(built: SessionBuilder, message: dict[str, Any]) -> None:
    role, content, time = message.get("role"), message.get("content"), _time(message.get("timestamp"))
    if isinstance(content, str) and content.startswith(_BLOCKS):
        content = decoded(content.removeprefix(_BLOCKS))
    text = texts(content)
    if role == "session_meta":
        built.left_out["session info"] += 1
        built.model = string(message.get("model")) or built.model
    elif role == "user":
        built.say(Speaker.USER, text, time)
    elif role == "tool":
        built.result(string(message.get("tool_call_id")), text)
    elif role == "assistant":
        for call in objects(decoded(message.get("tool_calls"))):
            function = call.get("function")
            named = function if isinstance(function, dict) else call
            built.call(string(named.get("name")), named.get("arguments"), time, string(call.get("id")))
        built.say(Speaker.AGENT, text, time)
    else:
        built.left_out[f"unknown role {string(role)[:40]}"] += 1


def _time(value: object) -> object:
    """A time. One without a zone is local, and is used unchanged."""
    return f"{value}Z" if isinstance(value, str) and instant(value) is None else value
