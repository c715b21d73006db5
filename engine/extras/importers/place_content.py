"""Reads everything in the place of an import: sessions by the form of their files, other files by name (G28)."""

import re
import tempfile
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from typing import NamedTuple, Self

import msgspec

from engine.extras.importers.containers import OpenedFile, opened
from engine.extras.importers.cursor import CursorSessions
from engine.extras.importers.files import MOST_FILES, SourceBytes, SourceFolder, ending_of
from engine.extras.importers.generations import Generation, is_newer
from engine.extras.importers.kinds import ImportKind
from engine.extras.importers.originals import OriginalKeeper
from engine.extras.importers.session import ImportedSession, NoTurn, SeenTurns, instant_or
from engine.lifecycle.capture.events import Attachment, SpokenTurn, ToolEvent, TurnEvent
from engine.lifecycle.capture.transcript_text import file_key
from engine.text.safe_text import visible_line

_IN_MEMORY = 32 * 1024 * 1024  # bytes of sessions that are held without a file
_SAME_TIME = timedelta(seconds=2)  # two files may note the time of one event so far apart


class _Place(NamedTuple):
    own: str
    events: int
    source: str
    offset: int
    size: int


class HeldSessions:
    """Takes sessions one by one and returns each once, oldest first, merged from several files if necessary."""

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
        """Takes a session with turns."""
        data = msgspec.msgpack.encode(session)
        place = _Place(
            session.own or session.events[0].time, len(session.events), session.source, self._file.tell(), len(data)
        )
        self._file.write(data)
        self._places.setdefault(file_key(session.session), []).append(place)

    def oldest_first(self) -> Iterator[ImportedSession]:
        """Every session with all its turns, except those copied from an earlier session (decision D58)."""
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
    """A session with another file's additional events, in order of time."""
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
    """Removes the time of the same event from the known ones. Tells whether there was one."""
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


Report = Callable[[str, int, int | None], None]
"""Called with the progress: the stage, the amount done, and the total. It may raise `Cancelled`."""
_HEAD = 65_536  # bytes at the beginning and at the end of a file in which the version of its tool is looked for
_NUMBERED = re.compile(r"(.*?)(\d+)(\.\w+)\Z")


class PlaceContent:
    """The content of a place: files by form, unread files by ending, sessions, and lines outside any session."""

    def __init__(
        self, report: Report, kind: ImportKind, held: HeldSessions, keeper: OriginalKeeper | None = None
    ) -> None:
        self._report, self._kind, self._held, self._keeper = report, kind, held, keeper
        self._reader = kind.reader()
        self._numbers: dict[tuple[str, str], set[int]] = {}
        self.files = 0
        self.without_session: list[str] = []
        self.forms: Counter[str] = Counter()
        self.unread: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.problems: list[str] = []
        self.newer = ""  # the newest version of the tool that was met and is newer than what is known of it

    def read(self, folder: SourceFolder) -> None:
        """Reads every file. A file of another kind is reported, and reading continues."""
        paths = list(islice(folder.paths(), MOST_FILES + 1))
        if len(paths) > MOST_FILES:
            self._refuse(paths.pop(), f"more than {MOST_FILES:,} files: name a folder further down")
        of_path = {path: self._kind.files.generation(folder.parts(path)) for path in paths if path not in folder.closed}
        forms = {path: form for path, form in of_path.items() if form is not None}
        beside: set[str] = set()
        for count, (path, form) in enumerate(forms.items(), 1):
            self._report("files", count, len(forms))
            file = opened(folder, paths, path, form)
            self._file(folder, file, form)
            beside.update(file.beside)
        for path in paths:
            if path not in forms and path not in beside:
                self._rest(folder, path)
        self._missing_numbers()

    def _file(self, folder: SourceFolder, file: OpenedFile, form: Generation) -> None:
        """Takes the sessions of a file, and keeps its bytes with those of the files read with it."""
        self.files += 1
        keys: list[str] = []
        before = len(self.problems)
        if isinstance(self._reader, CursorSessions) and (stamp := folder.stamp(file.path)) is not None:
            self._reader.modified = stamp[0] / 1e9
        is_read = max((self._sessions(text, form, keys) for text in file.texts), default=False)
        is_whole = len(self.problems) == before
        self.forms[form.name] += is_read
        if not is_read and is_whole and file.data.strip() and not form.side:
            self.without_session.append(visible_line(file.path))
            self.unread[f"{ending_of(file.path)} without a session"] += 1
        if self._keeper is not None and (is_read or is_whole):
            for path, data in {file.path: file.data, **file.beside}.items():
                self._keeper.take(path, data, iter(keys))

    def _sessions(self, text: SourceBytes, form: Generation, keys: list[str]) -> bool:
        if text.problem:
            self._refuse(text.source, text.problem)
            return False
        if text.unread:
            self.unread[text.unread] += text.number
            return False
        self._notice_version(text, form)
        self._report("sessions", len(self._held), None)
        if form.numbered and (name := _NUMBERED.match(text.source)) is not None:
            self._numbers.setdefault((name[1], name[3]), set()).add(int(name[2]))
        try:
            # A list at once: a file that breaks off half-way gives none of its sessions.
            sessions = list(self._reader.read(text.data.removeprefix(BOM_UTF8), text.source))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._refuse(text.source, f"not of this kind: {error}")
            return False
        for session in sessions:
            keys.append(file_key(session.session))
            if session.events:
                self._held.add(session)
            else:
                self.left_out.update(session.left_out)
        return any(session.events or NoTurn.SIDE_CHAIN in session.left_out for session in sessions)

    def _rest(self, folder: SourceFolder, path: str) -> None:
        """Names a file of unknown form. The bytes of notes beside the sessions are kept."""
        if path in folder.closed:
            self._refuse(visible_line(path), folder.read(path).problem)
            return
        is_note = self._kind.notes in path.split("/")[:-1] and path.endswith(".md")
        what = "notes" if is_note else self._kind.files.other(folder.parts(path))
        self.unread[ending_of(visible_line(path)) + (f" ({what})" if what else "")] += 1
        if self._keeper is not None and is_note:
            file = folder.read(path)
            if file.problem:
                self._keeper.refuse(file.source, file.problem)
            else:
                self._keeper.take(path, file.data, iter(()))

    def _notice_version(self, text: SourceBytes, form: Generation) -> None:
        parts = (text.data[:_HEAD] + text.data[-_HEAD:]).decode("utf-8", "replace") if form.version_at else ""
        found = [text.version, *(match[1] for pattern in form.version_at for match in re.finditer(pattern, parts))]
        for version in filter(None, found):
            if is_newer(version, self.newer or self._kind.files.version):
                self.newer = version[:40]

    def _missing_numbers(self) -> None:
        for (name, ending), numbers in self._numbers.items():
            if max(numbers) < MOST_FILES and (gone := sorted(set(range(max(numbers))) - numbers)):
                more = f" and {len(gone) - 5:,} more" if len(gone) > 5 else ""
                self._refuse(f"{name}N{ending}", f"not there: {', '.join(f'{number:03}' for number in gone[:5])}{more}")

    def _refuse(self, path: str, problem: str) -> None:
        self.problems.append(f"{path}: {problem}")
        if self._keeper is not None:
            self._keeper.refuse(path, problem)
