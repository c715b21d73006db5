"""The sessions that an import read, on disk until they are planned: their number costs no memory."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from heapq import merge
from typing import NamedTuple, Self

import msgspec

from engine.extras.importers.session import ImportedSession, SeenTurns, instant_or
from engine.lifecycle.capture.events import Attachment, SpokenTurn, ToolEvent, TurnEvent
from engine.lifecycle.capture.transcript_text import file_key

_IN_MEMORY = 32 * 1024 * 1024  # bytes of sessions that are held without a file
_SAME_TIME = timedelta(seconds=2)  # two files may note the time of one event so far apart


class _Place(NamedTuple):
    own: str
    events: int
    source: str
    offset: int
    size: int


class HeldSessions:
    """Takes sessions one by one, and gives each once, oldest first: what several files hold of one is put together."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, prefix="memdeck-")  # noqa: SIM115 — closed by `__exit__`
        self._places: dict[str, list[_Place]] = {}
        self.twice = 0  # sessions of which another file holds the same

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, session: ImportedSession) -> None:
        """Takes one that has turns."""
        data = msgspec.msgpack.encode(session)
        place = _Place(
            session.own or session.events[0].time, len(session.events), session.source, self._file.tell(), len(data)
        )
        self._file.write(data)
        self._places.setdefault(file_key(session.session), []).append(place)

    def oldest_first(self) -> Iterator[ImportedSession]:
        """Every session with all of its turns, without those that another had before it (decision D58)."""
        seen = SeenTurns()
        for places in sorted(self._places.values(), key=min):
            first, *others = (self._read(place) for place in sorted(places))
            for other in others:
                self.twice += 1
                first = _together(first, other)
            yield seen.rest(first)

    def _read(self, place: _Place) -> ImportedSession:
        self._file.seek(place.offset)
        return msgspec.msgpack.decode(self._file.read(place.size), type=ImportedSession)


def _together(first: ImportedSession, other: ImportedSession) -> ImportedSession:
    """A session with what another file has beyond it, in the order of their times."""
    known: dict[tuple[str, str], list[datetime]] = {}
    for event in first.events:
        known.setdefault(_said(event), []).append(instant_or(event.time))
    more = [event for event in other.events if not _taken_off(known.get(_said(event), []), instant_or(event.time))]
    if not more:
        return first
    events = tuple(merge(first.events, more, key=lambda event: event.time))
    left_out = dict(Counter(first.left_out) + Counter(other.left_out))
    return msgspec.structs.replace(first, events=events, topic=first.topic or other.topic, left_out=left_out)


def _taken_off(times: list[datetime], time: datetime) -> bool:
    """Takes the time of the same event out of those that are known; tells whether there was one."""
    near = next((at for at in times if abs(at - time) <= _SAME_TIME), None)
    if near is not None:
        times.remove(near)
    return near is not None


def _said(event: TurnEvent) -> tuple[str, str]:
    match event:
        case SpokenTurn():
            return event.role, event.content
        case ToolEvent():
            return event.name, repr(event.args)
        case Attachment():
            return "", event.path
        case _:
            return "", repr(event)
