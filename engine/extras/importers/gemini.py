"""Reads sessions of the Gemini command line: one object with all messages, or JSON lines that add and replace them."""

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder, number, objects, string
from engine.text.transcript_marks import Speaker

_SNAPSHOT = "<state_snapshot>"


class GeminiSessions:
    """Reads file after file. Each message has an id; a later line with the same id replaces it."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file; nothing for another file."""
        try:
            value = msgspec.json.decode(data)
        except msgspec.DecodeError:
            value = None
        record = _Record(source)
        if isinstance(value, dict) and not any(key.startswith("$") for key in value):
            record.take(value)
        else:
            for entry in record.built.lines(data):
                record.take(entry)
        yield from record.session()


class _Record:
    """The messages of a file after each of its lines, with the withdrawn ones."""

    def __init__(self, source: str) -> None:
        self.built = SessionBuilder(source.rpartition("/")[2].partition(".")[0], source, "gemini")
        self._messages: dict[str, dict[str, Any]] = {}
        self._is_session = self._is_side = False

    def take(self, entry: dict[str, Any]) -> None:
        """Applies one line, as the tool does when it loads the file."""
        if isinstance(rewind := entry.get("$rewindTo"), str):
            self._drop(rewind)
        elif isinstance(entry.get("id"), str):
            self._messages[entry["id"]] = entry
        elif isinstance(update := entry.get("$set"), dict):
            self.built.left_out["metadata update"] += 1
            self._head(update)
        else:
            self._head(entry)

    def session(self) -> Iterator[ImportedSession]:
        """The session. That of a subagent has no turns, only their number as a side chain."""
        built = self.built
        if self._is_side:
            # It belongs to the session whose id its folder has.
            parent, many = built.source.split("/")[-2:][0], len(self._messages)
            yield ImportedSession(session=parent, source=built.source, events=(), left_out={NoTurn.SIDE_CHAIN: many})
        elif self._is_session:
            for message in self._messages.values():
                _message(built, message)
            yield from built.done()

    def _head(self, head: dict[str, Any]) -> None:
        built, messages = self.built, head.get("messages")
        self._is_session |= isinstance(head.get("sessionId"), str) or isinstance(messages, list)
        self._is_side |= head.get("kind") == "subagent"
        built.session = string(head.get("sessionId")) or built.session
        built.topic = string(head.get("summary")) or built.topic
        if isinstance(messages, list) and messages:
            self._replace(list(objects(messages)))

    def _replace(self, messages: list[dict[str, Any]]) -> None:
        """Replaces all messages. If the new ones begin with a summary of the old ones, those stay as well."""
        texts = [_text(message).lstrip().startswith(_SNAPSHOT) for message in messages]
        given = {string(message.get("id")) or f"#{at}": message for at, message in enumerate(messages)}
        if any(texts):
            self.built.left_out[NoTurn.SUMMARY] += sum(texts)
            told = set(map(_text, self._messages.values()))
            self._messages |= {
                ident: message
                for (ident, message), is_summary in zip(given.items(), texts, strict=False)
                if not is_summary and ident not in self._messages and _text(message) not in told
            }
            return
        self.built.left_out[NoTurn.ABANDONED] += len(self._messages.keys() - given.keys())
        self._messages = given

    def _drop(self, ident: str) -> None:
        """Removes a message and all after it; all messages if it is unknown, as the tool does."""
        idents = list(self._messages)
        gone = idents[idents.index(ident) if ident in idents else 0 :]
        self.built.left_out[NoTurn.ABANDONED] += len(gone)
        for message in gone:
            del self._messages[message]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) and part.get("thought") is not True else part for part in parts)
    return "".join(map(string, texts))


def _message(built: SessionBuilder, message: dict[str, Any]) -> None:
    kind, time = string(message.get("type")), message.get("timestamp")
    if kind not in ("user", "gemini", "model"):
        built.left_out[kind or NoTurn.META] += 1
        return
    if kind == "user":
        built.say(Speaker.USER, _text(message), time)
        return
    built.model = string(message.get("model")) or built.model
    built.left_out["thinking"] += len(list(objects(message.get("thoughts"))))
    tokens = message.get("tokens")
    if isinstance(tokens, dict):
        built.tokens[str(len(built.tokens))] = (number(tokens.get("input")), number(tokens.get("output")))
    for call in objects(message.get("toolCalls")):
        ident = string(call.get("id"))
        built.call(string(call.get("name")), call.get("args"), call.get("timestamp") or time, ident)
        built.result(ident, call.get("resultDisplay") or call.get("result") or "")
    built.say(Speaker.AGENT, _text(message), time)
