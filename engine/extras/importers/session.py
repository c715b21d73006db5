"""A session of another tool: its turns in the terms of capture, and the count of what was left out."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from engine.lifecycle.capture.events import Attachment, SpokenTurn, ToolEvent, TurnEvent
from engine.sessions.platforms.rules import COMMON
from engine.sessions.who_spoke import who_spoke
from engine.text.transcript_marks import Speaker, instant


class NoTurn(StrEnum):
    """Reasons for which a line of a session is not a turn. Readers add others in their tool's terms."""

    SIDE_CHAIN = "side chain"
    META = "meta"
    SUMMARY = "compaction summary"
    REPEATED = "repeated"
    ABANDONED = "abandoned branch"
    UNREADABLE = "unreadable"


class ImportedSession(msgspec.Struct, frozen=True, kw_only=True):
    """The turns of one session in order. `left_out` counts everything else, by reason."""

    session: str
    source: str
    events: tuple[TurnEvent, ...]
    model: str = ""
    topic: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    left_out: dict[str, int] = {}
    own: str = ""  # the instant of the first event that no other session is said to have had before

    @property
    def started(self) -> datetime:
        """The instant of the first turn."""
        return instant_or(self.events[0].time)


class SessionBuilder:
    """Builds one session: a turn for each message, whose parts may come in several lines."""

    def __init__(self, session: str, source: str, platform: str = COMMON) -> None:
        self.session, self.source, self.platform = session, source, platform
        self.model = self.topic = ""
        self.left_out: Counter[str] = Counter()
        self.tokens: dict[str, tuple[int, int]] = {}
        self._events: list[TurnEvent] = []
        self._spoken: dict[str, int] = {}
        self._calls: dict[str, int] = {}
        self._last = ""

    def lines(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Yields the objects of a JSON lines file. Invalid lines are counted."""
        for entry in json_lines(data):
            if entry is None:
                self.left_out[NoTurn.UNREADABLE] += 1
            else:
                yield entry

    def say(self, role: Speaker, text: str | Sequence[str], time: object, ident: str = "", *, key: str = "") -> None:
        """Adds a message, or more of one that already began. Text from the harness is only counted. `ident`: the
        message's id; `key`: the line's, which is the same in every copy."""
        said = who_spoke(role, text, self.platform)
        self.left_out.update(said.left_out)
        text = said.text
        if not text.strip():
            return
        if ident and ident in self._spoken:
            at = self._spoken[ident]
            earlier = self._events[at]
            if isinstance(earlier, SpokenTurn):
                self._events[at] = msgspec.structs.replace(earlier, content=f"{earlier.content}\n\n{text}")
            return
        if ident:
            self._spoken[ident] = len(self._events)
        self._events.append(SpokenTurn(role=role, content=text, time=self._time(time), type=said.mark, id=key[:200]))

    def begins(self, time: object) -> None:
        """Notes the start of the session, for a first event without a time."""
        self._time(time)

    def call(self, name: str, args: Any, time: object, ident: str = "", *, key: str = "") -> None:
        """Adds a tool call, whose result comes later."""
        if ident:
            self._calls[ident] = len(self._events)
        self._events.append(ToolEvent(name=name, args=args, time=self._time(time), id=key[:200]))

    def result(self, ident: str, result: Any) -> None:
        """Adds the result to its call. A result without a call is ignored."""
        at = self._calls.pop(ident, None)
        event = self._events[at] if at is not None else None
        if at is not None and isinstance(event, ToolEvent):
            self._events[at] = msgspec.structs.replace(event, result=result)

    def take_back(self, count: int, reason: str) -> None:
        """Withdraws the last questions, with everything after them."""
        turns = ((at, event) for at, event in enumerate(self._events) if isinstance(event, SpokenTurn))
        asked = [at for at, turn in turns if turn.role is Speaker.USER]
        if count > 0 and asked:
            begin = asked[-min(count, len(asked))]
            self.left_out[reason] += sum(isinstance(event, SpokenTurn) for event in self._events[begin:])
            del self._events[begin:]
            self._spoken = {ident: at for ident, at in self._spoken.items() if at < begin}
            self._calls = {ident: at for ident, at in self._calls.items() if at < begin}

    def attach(self, path: str, time: object) -> None:
        """Adds the name of an attached file."""
        self._events.append(Attachment(path=path, time=self._time(time)))

    def done(self, copied: Container[str] = ()) -> Iterator[ImportedSession]:
        """The session, with the turns that have a time; nothing if there is nothing to report. Turns before the first
        known instant get that instant. `copied`: the keys of another session's turns."""
        if not (first := next((event.time for event in self._events if event.time), "")):
            self.left_out["turn without a time"] += sum(isinstance(event, SpokenTurn) for event in self._events)
        said = self._events if first else ()
        events = [event if event.time else msgspec.structs.replace(event, time=first) for event in said]
        left_out = +self.left_out
        if events or left_out:
            yield ImportedSession(
                session=self.session,
                source=self.source,
                events=tuple(events),
                model=self.model,
                topic=self.topic,
                tokens_in=sum(read for read, _ in self.tokens.values()),
                tokens_out=sum(written for _, written in self.tokens.values()),
                left_out=dict(left_out),
                own=next((event.time for event in events if event.id not in copied), first),
            )

    def _time(self, time: object) -> str:
        at = instant(time)
        self._last = at.isoformat() if at is not None else self._last
        return self._last


class SeenTurns:
    """Takes sessions in order of their start. Turns of an earlier session are copies in a later one (D58)."""

    def __init__(self) -> None:
        self._keys: set[str] = set()

    def rest(self, session: ImportedSession) -> ImportedSession:
        """The session without turns that an earlier one had."""
        events = tuple(event for event in session.events if not event.id or event.id not in self._keys)
        self._keys.update(event.id for event in events)
        if len(events) == len(session.events):
            return session
        copies = sum(isinstance(event, SpokenTurn) for event in session.events)
        copies -= sum(isinstance(event, SpokenTurn) for event in events)
        left_out = {**session.left_out, NoTurn.REPEATED: session.left_out.get(NoTurn.REPEATED, 0) + copies}
        return msgspec.structs.replace(session, events=events, left_out=left_out)


def instant_or(text: str) -> datetime:
    """The instant of an event that has one."""
    if (at := instant(text)) is None:
        raise ValueError(text)
    return at


def objects(value: object) -> Iterator[dict[str, Any]]:
    """The objects of a list; nothing for any other value."""
    yield from (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def fields(value: object) -> dict[str, Any]:
    """The value if it is an object or JSON text of one; otherwise empty."""
    value = decoded(value)
    return value if isinstance(value, dict) else {}


def decoded(value: object) -> object:
    """The decoded value of a JSON text, or None; any other value unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return None


def string(value: object) -> str:
    """The value if it is a text; otherwise empty."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int:
    """The value if it is a count; otherwise 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def json_lines(data: bytes) -> Iterable[dict[str, Any] | None]:
    """The objects of a JSON lines file; None for each invalid line."""
    decoder = msgspec.json.Decoder()
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            value = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            value = None
        yield value if isinstance(value, dict) else None
