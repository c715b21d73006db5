"""Reads sessions of OpenClaw and of pi: JSON lines that form a tree, of which the continued branch counts."""

from collections.abc import Iterator
from typing import Any

from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder, number, objects, string
from engine.sessions.openclaw import not_said, tree_entry
from engine.sessions.platforms.rules import line_kind
from engine.sessions.turn_tree import abandoned
from engine.text.transcript_marks import Speaker, text_blocks, texts

_SUMMARIES = frozenset({"compaction", "branch_summary"})


class OpenClawSessions:
    """Reads file after file."""

    tool = "openclaw"

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file. The name of a reset or deleted file has more after its ending."""
        built = SessionBuilder(source.rpartition("/")[2].partition(".jsonl")[0], source, self.tool)
        entries = list(built.lines(data))
        gone = abandoned(placed for entry in entries if (placed := tree_entry(entry)) is not None)
        forked = ""
        for entry in entries:
            kind = string(entry.get("type"))
            if kind == "session":
                built.session = string(entry.get("id")) or built.session
                forked = string(entry.get("timestamp")) if string(entry.get("parentSession")) else forked
            elif kind != "message" or not isinstance(entry.get("message"), dict):
                built.left_out[NoTurn.SUMMARY if kind in _SUMMARIES else line_kind(self.tool, entry)] += 1
                built.topic = (string(entry.get("name")) if kind == "session_info" else "") or built.topic
            elif string(entry.get("id")) in gone:
                built.left_out[NoTurn.ABANDONED] += 1
            else:
                _message(built, entry, entry["message"])
        # A fork keeps the ids and times of what it copied.
        yield from built.done({_key(entry) for entry in entries if string(entry.get("timestamp")) < forked})


def _key(entry: dict[str, Any]) -> str:
    """The id and the time of a line: ids alone are so short that they may repeat."""
    ident = string(entry.get("id"))
    return f"{ident} {string(entry.get('timestamp'))}" if ident else ""


def _message(built: SessionBuilder, entry: dict[str, Any], message: dict[str, Any]) -> None:
    role, content = message.get("role"), message.get("content")
    time = entry.get("timestamp") or message.get("timestamp")
    if role == "toolResult":
        built.result(string(message.get("toolCallId")), texts(content))
    elif role not in ("user", "assistant"):
        built.left_out[f"{string(role)[:40] or 'other'} message"] += 1
    elif reason := not_said(message):
        built.left_out[reason] += 1
    elif role == "user":
        built.say(Speaker.USER, text_blocks(content), time, key=_key(entry))
    else:
        _agent(built, entry, message, time)


def _agent(built: SessionBuilder, entry: dict[str, Any], message: dict[str, Any], time: object) -> None:
    built.model = string(message.get("model")) or built.model
    if isinstance(usage := message.get("usage"), dict):
        read = ("input", "cacheRead", "cacheWrite")
        tokens = sum(number(usage.get(name)) for name in read), number(usage.get("output"))
        built.tokens[string(entry.get("id")) or str(len(built.tokens))] = tokens
    for block in objects(message.get("content")):
        if block.get("type") == "toolCall":
            ident = string(block.get("id"))
            built.call(string(block.get("name")), block.get("arguments"), time, ident, key=f"{ident} {_key(entry)}")
    built.say(Speaker.AGENT, texts(message.get("content")), time, key=_key(entry))


class PiSessions(OpenClawSessions):
    """Reads the files of pi, whose format OpenClaw adopted."""

    tool = "pi"
