"""Sessions of the Gemini command line: `chats/session-….json`, one object with all messages."""

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.lifecycle.imports.session import META, ImportedSession, SessionBuilder, number, objects, string
from engine.text.transcript_marks import Speaker


class GeminiSessions:
    """Reads file after file."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file; none of a file that is no session."""
        value = msgspec.json.decode(data)
        if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
            return
        built = SessionBuilder(string(value.get("sessionId")) or source.rpartition("/")[2], source)
        for message in objects(value["messages"]):
            _message(built, message)
        yield from built.done()


def _message(built: SessionBuilder, message: dict[str, Any]) -> None:
    kind, time = message.get("type"), message.get("timestamp")
    if kind not in ("user", "gemini", "model"):
        built.left_out[META] += 1
        return
    content = message.get("content")
    text = content if isinstance(content, str) else "\n".join(string(part.get("text")) for part in objects(content))
    if kind == "user":
        built.say(Speaker.USER, text, time)
        return
    built.model = string(message.get("model")) or built.model
    tokens = message.get("tokens")
    if isinstance(tokens, dict):
        built.tokens[str(len(built.tokens))] = (number(tokens.get("input")), number(tokens.get("output")))
    for call in objects(message.get("toolCalls")):
        ident = string(call.get("id"))
        built.call(string(call.get("name")), call.get("args"), call.get("timestamp") or time, ident)
        built.result(ident, call.get("resultDisplay") or call.get("result") or "")
    built.say(Speaker.AGENT, text, time)
