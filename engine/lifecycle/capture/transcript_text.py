"""Renders a transcript from a session's events alone, always to the same bytes (autopoiesis §2.1). Folder, name and
headings are in the zone of its start; its head and day lines have the offset."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from hashlib import blake2b

import msgspec

from engine.lifecycle.capture.events import (
    Attachment,
    KnowledgeChange,
    SessionEnd,
    SessionStart,
    SpokenTurn,
    ToolEvent,
    TurnEvent,
    instant_of,
)
from engine.text.secrets.detector import redact
from engine.text.transcript_marks import MEMORY, UNTRUSTED, Speaker, escaped
from engine.workspace.dates import zone_of
from engine.workspace.layout import CONVERSATIONS

MOST_ARGUMENTS, MOST_RESULT = 400, 200  # characters of a tool's call that are kept: a summary, never the whole of it
_TITLE_WORDS, _LONGEST_TITLE, _LONGEST_SLUG = 8, 60, 48
"""The words and characters of a title, and the characters of its part in a file name, which has at most 255 bytes."""
_LONGEST_ID = 40  # characters of a session's id in a file name; a longer one ends in its hash
_PLAIN = re.compile(r"[A-Za-z0-9][\w./@+-]*(?:[ :][\w./@+-]+)*\Z")
_WORDS_OF_YAML = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_TYPE = re.compile(r"(?:[\w-]{1,40}|from [^\[\]\n]{1,60})\Z")


class TranscriptText:
    """Renders events one by one. The text only grows; its head is made again at the end."""

    def __init__(self, start: SessionStart) -> None:
        self.start = start
        self.turns = 0
        self.title = ""
        self._zone = zone_of(start.zone or "UTC")
        self._last = instant_of(start)
        began = local_time(self._last, self._zone)
        self._day, self._offset = began.date(), began.utcoffset()
        self._turn = ""  # the speaker of the turn that is under way, or `memory`
        self._spoken = False  # true once the turn under way has a message of its own
        self._changes: list[KnowledgeChange] = []

    @property
    def opening(self) -> str:
        return _head(self._facts())

    def closing(self, end: SessionEnd) -> str:
        return _head(self._facts(max(instant_of(end), self._last), end), self._changes)

    def add(self, event: TurnEvent) -> str:
        """Gives an event's text for the body; uses the last time for an earlier one, and U+FFFD for NUL."""
        return self._add(event).replace("\0", "\ufffd")

    def _add(self, event: TurnEvent) -> str:
        self._last = max(instant_of(event), self._last)
        at = local_time(self._last, self._zone)
        text = self._begin(event)
        if (at.date(), at.utcoffset()) != (self._day, self._offset):
            # A session over midnight stays in one file: headings have the time alone (decision D42). Where the clock
            # was changed the line has the new offset, or an hour that comes twice could not be told apart.
            offset = f" {_offset(at)}" if at.utcoffset() != self._offset else ""
            self._day, self._offset, self._turn = at.date(), at.utcoffset(), ""
            text += f"\n<!-- {self._day}{offset} -->\n"
        match event:
            case SpokenTurn():
                return text + self._message(event, at)
            case ToolEvent():
                return text + self._heading(Speaker.AGENT, at) + _tool(event)
            case KnowledgeChange():
                self._changes.append(event)
                return text + self._heading(MEMORY, at) + _knowledge(event)
            case Attachment(path=path):
                return text + (self._heading(self._turn or Speaker.USER, at)) + f"> [attachment:{_one_line(path)}]\n"

    def _begin(self, event: TurnEvent) -> str:
        if self.title:
            return ""
        match event:
            case SpokenTurn(role=Speaker.USER, content=said, type=kind) if kind != UNTRUSTED:
                self.title = _title(self.start.topic or said)
            case _:
                self.title = _title(self.start.topic)
        self.title = self.title or "Session"
        return f"\n# {self.title}\n"

    def _message(self, event: SpokenTurn, at: datetime) -> str:
        # What looks like a heading of ours would be a turn that nobody said (decision D33).
        said = escaped(event.content.encode("utf-8", "replace").decode()).rstrip("\n")
        if event.role is Speaker.AGENT and self._turn == Speaker.AGENT and not self._spoken and not event.type:
            self._spoken = True
            return f"\n{said}\n"
        self._turn = ""
        heading = self._heading(event.role, at, event.type if _TYPE.match(event.type) else "")
        self._spoken = True
        return heading + (f"{said}\n" if said else "")

    def _heading(self, turn: str, at: datetime, kind: str = "") -> str:
        """Gives the heading of a new turn; empty while the same turn continues."""
        if self._turn == turn:
            return ""
        self._turn, self._spoken = turn, False
        self.turns += 1
        role, kind = (Speaker.AGENT.value, MEMORY) if turn == MEMORY else (str(turn), kind)
        return f"\n## {at:%H:%M} — {role}{f' [{kind}]' if kind else ''}\n"

    def _facts(self, ended: datetime | None = None, end: SessionEnd | None = None) -> Iterator[tuple[str, str]]:
        yield "session_id", self.start.session_id
        yield "started", _stamp(local_time(instant_of(self.start), self._zone))
        if ended is not None:
            yield "ended", _stamp(local_time(ended, self._zone))
        if self._zone is not UTC:
            yield "zone", self.start.zone
        for name in ("model", "channel", "topic", "continues"):
            if value := getattr(self.start, name):
                yield name, value
        yield "tags", f"[{', '.join(_scalar(tag, in_list=True) for tag in end.tags)}]" if end is not None else "[]"
        if end is not None:
            yield "tokens_in", str(end.tokens_in)
            yield "tokens_out", str(end.tokens_out)


def open_path(start: SessionStart) -> str:
    """Gives an open transcript's path: `HHMM-ID.md` in the folder of its first day."""
    at = local_time(instant_of(start), zone_of(start.zone or "UTC"))
    return f"{CONVERSATIONS}/{at:%Y/%m/%d}/{at:%H%M}-{file_key(start.session_id)}.md"


def closed_path(start: SessionStart, title: str) -> str:
    """Gives a closed transcript's path, to which it is renamed once: with the slug of its title."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", title).casefold())
    slug = "-".join(words)[:_LONGEST_SLUG].strip("-")
    return open_path(start).removesuffix(".md") + (f"-{slug}.md" if slug else "-session.md")


def file_key(session: str) -> str:
    """Gives a session's id as a unique part of a file name, without hyphens, which would end it."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", session)
    if plain == session and len(plain) <= _LONGEST_ID:
        return plain
    return f"{plain[:_LONGEST_ID]}_{blake2b(session.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def _title(text: str) -> str:
    # Before it is cut: half a secret is not known as one, and the title becomes a file's name.
    words = " ".join(redact(text).split()[:_TITLE_WORDS])
    plain = "".join(char for char in words if char.isprintable()).strip("#>*`- ")
    return plain[:_LONGEST_TITLE].strip()


def local_time(at: datetime, zone: tzinfo) -> datetime:
    """Gives the instant in a zone; in UTC where the zone's time would be outside the calendar."""
    try:
        return at.astimezone(zone)
    except OverflowError:
        return at


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _offset(at: datetime) -> str:
    return at.isoformat(timespec="seconds")[len("2026-03-15T10:00:00") :]


def _head(facts: Iterable[tuple[str, str]], changes: Iterable[KnowledgeChange] = ()) -> str:
    rows = [f"{key}: {value if key == 'tags' else _scalar(value)}" for key, value in facts]
    if listed := list(changes):
        rows.append("knowledge_changes:")
    for change in listed:
        rows += [f"  - path: {_scalar(change.path)}", f"    action: {_scalar(change.action)}"]
        rows += [f"    summary: {_scalar(change.summary)}"] if change.summary else []
    return "---\n" + "".join(f"{row}\n" for row in rows) + "---\n"


def _scalar(text: str, *, in_list: bool = False) -> str:
    """Gives the text as one YAML scalar on one line, quoted where it could be misread."""
    line = _one_line(text)
    if _PLAIN.match(line) and line.casefold() not in _WORDS_OF_YAML and not (in_list and ":" in line):
        return line
    return json.dumps("".join(char if char.isprintable() else "\ufffd" for char in line), ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _brief(value: object, most: int) -> str:
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        value = only
    text = _one_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _tool(event: ToolEvent) -> str:
    name = re.sub(r"[\]\s]+", "_", event.name)[:200] or "tool"
    # The arrow stands between call and result: one in the call would end it.
    called, result = _brief(event.args, MOST_ARGUMENTS).replace("→", "->"), _brief(event.result, MOST_RESULT)
    return f"> [tool:{name}] {called}{f' → {result}' if result else ''}".rstrip() + "\n"


def _knowledge(event: KnowledgeChange) -> str:
    action = re.sub(r"[\]\s]+", "_", event.action) or "changed"
    summary = _one_line(event.summary)
    return f"> [knowledge:{action}] {_one_line(event.path)}{f' — {summary}' if summary else ''}\n"
